/** The view of the models: the diagram, the model that is selected, and all of them as a list for those who read. */
import type { ModelGraph, ShownModel } from '../../runtime/console/model-graph.ts';
import { jsonFrom, MODELS } from '../state/page.ts';
import { type Diagram, diagramOf } from './diagram.ts';
import { element } from './element.ts';
import { type Box, layoutOf } from './layout.ts';
import { modelDetails } from './model-details.ts';

export interface ModelsDrawing {
  /** Null for none in particular. */
  show(model: string | null): void;
}

export async function modelsDrawingIn(place: HTMLElement): Promise<ModelsDrawing> {
  const graph = await jsonFrom<ModelGraph>(MODELS);
  if (graph.models.length === 0) {
    place.replaceChildren(element('p', { class: 'notice' }, 'No model is reached by the API.'));
    return { show: () => undefined };
  }
  const layout = layoutOf(graph);
  const diagram = diagramOf(layout, (model) => {
    location.hash = `#/models/${encodeURIComponent(model)}`;
  });
  const details = element('aside', {
    class: 'details',
    'aria-label': 'The selected model',
    'aria-live': 'polite',
    hidden: true,
  });
  const stage = element('div', { class: 'stage' }, diagram.svg, controlsOf(diagram), legend());
  place.replaceChildren(element('div', { class: 'studio' }, stage, details), listOf(graph));
  let selected: Box | undefined;
  const look = (): void => (selected ? diagram.focus(middleOf(selected)) : diagram.fit());
  // Also when the panel beside it comes and goes.
  new ResizeObserver(look).observe(stage);
  return {
    show(name) {
      selected = layout.boxes.find(({ model }) => model.name === name);
      showModel(selected?.model ?? null, { graph, diagram, details });
      look();
    },
  };
}

function middleOf({ x, y, width, height }: Box): { readonly x: number; readonly y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}

interface Parts {
  readonly graph: ModelGraph;
  readonly diagram: Diagram;
  readonly details: HTMLElement;
}

function showModel(model: ShownModel | null, { graph, diagram, details }: Parts): void {
  diagram.highlight(model?.name ?? null);
  details.hidden = model === null;
  if (!model) return;
  details.replaceChildren(headOf(model), ...modelDetails(model, graph));
  details.scrollTop = 0;
}

function headOf({ name }: ShownModel): HTMLElement {
  const close = element('a', { class: 'close', href: '#/models', 'aria-label': 'Close' }, '×');
  return element('div', { class: 'details-head' }, element('h2', {}, name), close);
}

function controlsOf({ zoom, fit }: Diagram): HTMLElement {
  const button = (label: string, text: string, act: () => void): HTMLElement => {
    const made = element('button', { type: 'button', 'aria-label': label, title: label }, text);
    made.addEventListener('click', act);
    return made;
  };
  return element(
    'div',
    { class: 'controls', role: 'group', 'aria-label': 'Zoom' },
    button('Zoom in', '+', () => zoom(1.25)),
    button('Zoom out', '−', () => zoom(0.8)),
    button('Show all', '⤢', fit),
  );
}

function legend(): HTMLElement {
  return element(
    'p',
    { class: 'legend' },
    '◆ unique   ? nullable   ƒ computed   * many   Drag to move, Ctrl and wheel to zoom',
  );
}

function listOf(graph: ModelGraph): HTMLElement {
  const { models } = graph;
  const items = models.map((model) =>
    element(
      'article',
      { class: 'model-text' },
      element('h3', { id: `model-${model.name}` }, link(model)),
      ...modelDetails(model, graph),
    ),
  );
  return element(
    'section',
    { class: 'all-models', 'aria-labelledby': 'all-models' },
    element('h2', { id: 'all-models' }, `All ${models.length} models`),
    ...items,
  );
}

function link({ name }: ShownModel): HTMLElement {
  return element('a', { href: `#/models/${encodeURIComponent(name)}` }, name);
}
