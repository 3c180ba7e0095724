/** The drawing of the models, which is moved and zoomed, and in which a model is selected. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ModelChange } from '../../runtime/console/api/console-options.ts';
import type { ModelGraph } from '../../runtime/console/model-graph.ts';
import { IconButton } from '../ui/controls.tsx';
import { Drawing } from './drawing.tsx';
import { type Box, centreOf, type Layout, layoutOf } from './layout.ts';
import { panAndZoom, type Zoomable } from './pan-zoom.ts';

interface DiagramProps {
  readonly graph: ModelGraph;
  /** The selected model. Its neighbours and the lines between them are highlighted; null if none is. */
  readonly selected: string | null;
  readonly changes: Readonly<Record<string, ModelChange>>;
  readonly onSelect: (model: string) => void;
}

export function Diagram({ graph, selected, changes, onSelect }: DiagramProps): JSX.Element {
  const layout = useMemo(() => layoutOf(graph), [graph]);
  const { svg, sheet, zoomable } = useZoom(layout, selected, centreOf(graph));
  return (
    <div class="stage grow">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no set of fields. */}
      <svg
        ref={svg}
        class={`diagram ${selected === null ? '' : 'has-selection'}`}
        role="group"
        aria-label="Diagram of the models"
        tabindex={0}
      >
        <g ref={sheet}>
          <Drawing layout={layout} selected={selected} changes={changes} onSelect={onSelect} />
        </g>
      </svg>
      <fieldset class="controls box surface raised">
        <legend class="visually-hidden">Zoom</legend>
        <IconButton icon="plus" label="Zoom in" onClick={() => zoomable.current?.zoom(1.25)} />
        <IconButton icon="minus" label="Zoom out" onClick={() => zoomable.current?.zoom(0.8)} />
        <IconButton icon="fit" label="Show all" onClick={() => zoomable.current?.fit()} />
      </fieldset>
      <p class="legend pill soft">
        {'◆ unique   ? nullable   ƒ computed   * many   Drag to move, Ctrl and wheel to zoom'}
      </p>
    </div>
  );
}

/** Moves the selected model to the middle. Without one, all models are in view. */
function useZoom(layout: Layout, selected: string | null, centre: string | null) {
  const svg = useRef<SVGSVGElement>(null);
  const sheet = useRef<SVGGElement>(null);
  const zoomable = useRef<Zoomable | null>(null);
  const boxOf = (name: string | null) => layout.boxes.find(({ model }) => model.name === name);
  const look = (): void => {
    const { clientWidth = 0, clientHeight = 0 } = svg.current ?? {};
    const isNarrow = clientWidth < NARROW;
    const isTiny = Math.min(clientWidth / layout.width, clientHeight / layout.height) < SMALLEST_WHOLE;
    const middle = boxOf(selected) ?? (isNarrow || isTiny ? boxOf(centre) : undefined);
    if (middle) zoomable.current?.focus(...(isNarrow ? [] : [areaAround(middle, layout)]), middle);
    else zoomable.current?.fit();
  };
  const latest = useRef(look);
  latest.current = look;
  useLayoutEffect(() => {
    const controller = new AbortController();
    if (svg.current && sheet.current)
      zoomable.current = panAndZoom(svg.current, sheet.current, layout, controller.signal);
    return () => controller.abort();
  }, [layout]);
  useEffect(look, [layout, selected]);
  useEffect(() => {
    // The size also changes when the panel beside it opens or closes.
    const observer = new ResizeObserver(() => latest.current());
    if (svg.current) observer.observe(svg.current);
    return () => observer.disconnect();
  }, []);
  return { svg, sheet, zoomable };
}

const MARGIN = 16;

/** The area with the model and its neighbours. */
function areaAround({ model: { name } }: Box, { boxes, lines }: Layout) {
  const near = new Set([
    name,
    ...lines.flatMap(({ edge: { from, to } }) => (from === name ? to : to === name ? from : [])),
  ]);
  const all = boxes.filter(({ model }) => near.has(model.name));
  const [x, y] = [Math.min(...all.map((box) => box.x)) - MARGIN, Math.min(...all.map((box) => box.y)) - MARGIN];
  const width = Math.max(...all.map((box) => box.x + box.width)) + MARGIN - x;
  return { x, y, width, height: Math.max(...all.map((box) => box.y + box.height)) + MARGIN - y };
}

/**
 * The width below which the diagram begins with the model that has the most links: on a phone all models at once would
 * be too small to read.
 */
const NARROW = 480;
/** The scale below which it begins so too. */
const SMALLEST_WHOLE = 0.6;
