/** The models as a drawing with what changed in it: signs and lines say so, no colours, so that it can be printed. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import {
  type Box,
  curveThrough,
  HEAD_HEIGHT,
  type Line,
  layoutOf,
  marksOf,
  type Point,
  ROW_HEIGHT,
  typeText,
} from '../../console/models/layout.ts';
import { type ChangedModels, changedModels, SIGNS } from './changed-models.ts';
import { type Html, html } from './frame.ts';

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

function drawingOf(changed: ChangedModels): Html | null {
  const { graph } = changed;
  if (graph.models.length === 0) return null;
  if (graph.models.length > MOST_DRAWN) return html`<p class="lead">There are too many of them for a drawing.</p>`;
  const { boxes, lines, width, height } = layoutOf(graph);
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  return html`<div class="wide" tabindex="0" role="group" aria-label="Diagram of the models">
<svg class="diagram" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${altText(changed)}">
${lines.map(edgeOf)}
${boxes.map((box) => boxOf(box, changed))}
${lines.map(edgeName)}
</svg></div>`;
}

function altText({ graph, ofModel }: ChangedModels): string {
  const changed = graph.models.filter(({ name }) => ofModel(name) !== 'same');
  return changed.map(({ name }) => `${name}: ${ofModel(name)}`).join(', ') || 'The models, none of them changed';
}

function boxOf({ model, rows, more, x, y, width, height }: Box, { ofModel, ofMember }: ChangedModels): Html {
  const change = ofModel(model.name);
  const shown = rows.map((row, at) => {
    const ofRow = ofMember(model.name, row.name);
    const baseline = HEAD_HEIGHT + at * ROW_HEIGHT + 16;
    return html`<g class="row is-${ofRow}"><text class="member" x="12" y="${baseline}">${row.name}${marksOf(row)}</text><text class="type" x="${width - 12}" y="${baseline}" text-anchor="end">${typeText(row)}</text></g>`;
  });
  const rest = HEAD_HEIGHT + rows.length * ROW_HEIGHT + 16;
  return html`<g class="model is-${change}" transform="translate(${rounded(x)} ${rounded(y)})"><rect class="frame" width="${width}" height="${height}" rx="8"/><text class="name" x="12" y="22">${SIGNS[change]}${model.name}</text>${
    rows.length > 0 ? html`<path class="rule" d="M0 ${HEAD_HEIGHT}H${width}"/>` : null
  }${shown}${more > 0 ? html`<text x="12" y="${rest}">and ${more} more</text>` : null}</g>
`;
}

function edgeOf({ points }: Line): Html {
  const even = points.map(evenPoint);
  const end = even.at(-1) ?? { x: 0, y: 0 };
  return html`<path class="edge" d="${curveThrough(even)}"/><circle class="end" cx="${end.x}" cy="${end.y}" r="3"/>
`;
}

/** Draws the name above the boxes, so that no line hides it. */
function edgeName({ edge, label }: Line): Html {
  const width = edge.reference.length * 6.4 + 8;
  const { x, y } = evenPoint(label);
  return html`<rect class="edge-ground" x="${rounded(x - width / 2)}" y="${y - 8}" width="${rounded(width)}" height="16" rx="8"/><text class="edge-name" x="${x}" y="${rounded(y + 4)}" text-anchor="middle">${edge.reference}</text>
`;
}

function evenPoint({ x, y }: Point): Point {
  return { x: rounded(x), y: rounded(y) };
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}
