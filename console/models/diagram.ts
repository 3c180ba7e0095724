/** The models as a drawing: a box for each, a line for each reference, with both of its names and how many are at each end. */
import type { ShownEdge } from '../../runtime/console/model-graph.ts';
import { drawing } from './element.ts';
import {
  type Box,
  curveThrough,
  HEAD_HEIGHT,
  type Layout,
  type Line,
  labelOf,
  marksOf,
  type Point,
  ROW_HEIGHT,
  typeText,
} from './layout.ts';
import { panAndZoom, type Zoomable } from './pan-zoom.ts';

export interface Diagram extends Zoomable {
  readonly svg: SVGSVGElement;
  /** Its neighbours and the lines between them stand out; null for all alike. */
  highlight(model: string | null): void;
}

export function diagramOf(layout: Layout, select: (model: string) => void): Diagram {
  const lines = layout.lines.map(lineOf);
  const boxes = layout.boxes.map((box) => boxOf(box, select));
  const labels = layout.lines.map(labelsOf);
  const sheet = drawing('g', {}, ...lines, ...boxes, ...labels);
  const svg = drawing(
    'svg',
    { class: 'diagram', role: 'group', 'aria-label': 'Diagram of the models', tabindex: 0 },
    sheet,
  );
  const zoomable = panAndZoom(svg, sheet, layout);
  return { ...zoomable, svg, highlight: (model) => highlightIn(svg, layout, model) };
}

function boxOf({ model, rows, more, x, y, width, height }: Box, select: (model: string) => void): SVGGElement {
  const label = `${model.name}, ${model.members.length} members`;
  const box = drawing(
    'g',
    {
      class: 'model',
      transform: `translate(${x} ${y})`,
      tabindex: 0,
      role: 'button',
      'aria-label': label,
      'data-model': model.name,
    },
    drawing('rect', { class: 'model-frame', width, height, rx: 8 }),
    drawing('path', {
      class: 'model-head',
      d: `M0 ${HEAD_HEIGHT}V8a8 8 0 0 1 8-8H${width - 8}a8 8 0 0 1 8 8V${HEAD_HEIGHT}z`,
    }),
    drawing('text', { class: 'model-name', x: 12, y: 22 }, model.name),
    ...rows.map((row, at) =>
      drawing(
        'g',
        { class: `row is-${row.kind}`, transform: `translate(0 ${HEAD_HEIGHT + at * ROW_HEIGHT + 16})` },
        drawing('text', { class: 'row-name', x: 12 }, row.name, drawing('tspan', { class: 'row-mark' }, marksOf(row))),
        drawing('text', { class: 'row-type', x: width - 12, 'text-anchor': 'end' }, typeText(row)),
      ),
    ),
    more > 0
      ? drawing(
          'text',
          { class: 'row-more', x: 12, y: HEAD_HEIGHT + rows.length * ROW_HEIGHT + 16 },
          `and ${more} more`,
        )
      : null,
  );
  box.addEventListener('click', () => select(model.name));
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    select(model.name);
  });
  return box;
}

function lineOf({ edge, points }: Line): SVGGElement {
  return drawing(
    'g',
    { class: 'edge', 'data-from': edge.from, 'data-to': edge.to, 'data-reference': edge.reference },
    drawing('path', { d: curveThrough(points) }),
    drawing('circle', { cx: points.at(-1)?.x ?? 0, cy: points.at(-1)?.y ?? 0, r: 3.5 }),
  );
}

/** Above the boxes, so that no line hides a name. */
function labelsOf({ edge, points, label }: Line): SVGGElement {
  const text = labelOf(edge);
  const width = text.length * 6.6 + 10;
  const [start, afterStart] = points;
  return drawing(
    'g',
    { class: 'edge-label', 'data-from': edge.from, 'data-to': edge.to },
    drawing('rect', { x: label.x - width / 2, y: label.y - 9, width, height: 18, rx: 9 }),
    drawing('text', { x: label.x, y: label.y + 4, 'text-anchor': 'middle' }, text),
    count(start, afterStart, manyOf(edge)),
    count(points.at(-1), points.at(-2), oneOf(edge)),
  );
}

export function manyOf({ unique }: ShownEdge): string {
  return unique ? '0..1' : '*';
}

export function oneOf({ nullable }: ShownEdge): string {
  return nullable ? '0..1' : '1';
}

/** Beside the line, a little away from the box. */
function count(end: Point | undefined, next: Point | undefined, text: string): SVGTextElement | null {
  if (!end || !next) return null;
  const length = Math.hypot(next.x - end.x, next.y - end.y) || 1;
  const x = end.x + ((next.x - end.x) / length) * 14;
  const y = end.y + ((next.y - end.y) / length) * 14 - 6;
  // Of a loop, which leaves its box downwards, beside it.
  const isUpright = Math.abs(next.x - end.x) < 1;
  return drawing(
    'text',
    { class: 'count', x: isUpright ? x + 10 : x, y: isUpright ? y + 8 : y, 'text-anchor': 'middle' },
    text,
  );
}

function highlightIn(svg: SVGSVGElement, { lines }: Layout, model: string | null): void {
  const near = new Set(lines.flatMap(({ edge: { from, to } }) => (from === model || to === model ? [from, to] : [])));
  svg.classList.toggle('has-selection', model !== null);
  for (const box of svg.querySelectorAll<SVGGElement>('.model')) {
    const { model: name = '' } = box.dataset;
    box.classList.toggle('is-selected', name === model);
    box.classList.toggle('is-near', near.has(name));
    box.setAttribute('aria-pressed', String(name === model));
  }
  for (const edge of svg.querySelectorAll<SVGGElement>('.edge, .edge-label')) {
    edge.classList.toggle('is-near', edge.dataset.from === model || edge.dataset.to === model);
  }
}
