/** The models as the console draws them, with what changed in them. */
import type { ComponentChildren, VNode } from 'preact';
import type { Definition } from '../../compiler/definition/definition.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { Drawing } from '../../console/models/drawing.tsx';
import { layoutOf } from '../../console/models/layout.ts';
import { type ChangedModels, changedModels } from './changed-models.ts';
import { type Html, html, type Part } from './frame.ts';

/** The limit of models in a drawing: nobody finds anything in a larger one. */
const MOST_DRAWN = 80;

export function modelsPart(before: Definition | null, after: Definition): Html {
  const changed = changedModels(before, after);
  return html`<p class="lead">${leadOf(before, after, changed)}</p>${drawingOf(changed)}`;
}

function leadOf(before: Definition | null, after: Definition, { count, isPartial, graph }: ChangedModels): string {
  const all = plural(after.models.length, 'model');
  if (before === null) return `${all}.`;
  const changes = Object.entries(count).flatMap(([what, number]) => (number > 0 ? [`${number} ${what}`] : []));
  if (changes.length === 0) return `${all}, none of them changed.`;
  const partly = isPartial
    ? ` Shown are ${graph.models.length}: those that changed, and those that they refer to.`
    : '';
  return `${all}: ${changes.join(', ')}. + is new, ~ has changed, − is gone.${partly}`;
}

function drawingOf({ graph, changes }: ChangedModels): Html | null {
  if (graph.models.length === 0) return null;
  if (graph.models.length > MOST_DRAWN) return html`<p class="lead">There are too many of them for a drawing.</p>`;
  const layout = layoutOf(graph);
  const [width, height] = [Math.ceil(layout.width), Math.ceil(layout.height)];
  const named = Object.entries(changes).map(([name, { change }]) => `${name}: ${change}`);
  return html`<div class="wide" tabindex="0" role="group" aria-label="Diagram of the models">
<svg class="diagram" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${named.join(', ') || 'The models, none of them changed'}">
${htmlOf(Drawing({ layout, selected: null, changes }))}
</svg></div>`;
}

/** Components without state or effects as HTML. */
function htmlOf(node: ComponentChildren): Part {
  if (typeof node === 'string' || typeof node === 'number') return node;
  if (Array.isArray(node)) return node.map(htmlOf);
  if (typeof node !== 'object' || node === null) return null;
  const { type, props } = node as VNode<Readonly<Record<string, Part>>>;
  if (typeof type !== 'string') return htmlOf((type as (given: typeof props) => ComponentChildren)(props));
  const { children, ...attributes } = props;
  const written = Object.entries(attributes).map(([name, value]) => html` ${name}="${value}"`);
  return html`<${type}${written}>${htmlOf(children)}</${type}>`;
}
