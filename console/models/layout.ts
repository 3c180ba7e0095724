/**
 * The layout of boxes and edges. dagre lays out linked models, with referred-to models on the left or at the top; models without any
 * edge follow below or beside them, because dagre would pile them up in one column.
 */
import dagre from '@dagrejs/dagre';
import type { ModelGraph, ShownEdge, ShownMember, ShownModel } from '../../runtime/console/model-graph.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box {
  readonly model: ShownModel;
  /** The members that are drawn. */
  readonly rows: readonly ShownMember[];
  /** The number of further members. */
  readonly more: number;
  /** The corner at the top left. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly edge: ShownEdge;
  readonly points: readonly Point[];
  /** The middle of its label. */
  readonly label: Point;
}

export interface Layout {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

export const HEAD_HEIGHT = 34;
export const ROW_HEIGHT = 22;
const FOOT_HEIGHT = 8;
/** The width of a letter, in the fonts and sizes of the styles. */
const LETTER = 7.3;
const HEAD_LETTER = 10;
const GAP = 36;
/** The height of a loop below its box. */
const LOOP = 44;
const MOST_ROWS = 14;
const MOST_WITH_ROWS = 30;
/** The size of the drawing on a usual screen. */
const SCREEN = { width: 1100, height: 700 };
const DRAWN: ReadonlySet<ShownMember['kind']> = new Set<ShownMember['kind']>(['field', 'reference', 'computed']);

export function layoutOf({ models, edges }: ModelGraph): Layout {
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const boxes = models.map(models.length > MOST_WITH_ROWS ? nameOnly : boxOf);
  const alone = boxes.filter(({ model }) => !linked.has(model.name));
  const layouts = (['RL', 'BT'] as const).flatMap((direction) => {
    const together = laidOut(
      boxes.filter(({ model }) => linked.has(model.name)),
      edges,
      direction,
    );
    return [withOthers(together, alone, true), withOthers(together, alone, false)];
  });
  return layouts.reduce((best, each) => (sizeOf(each) > sizeOf(best) ? each : best));
}

/** The scale at which all of it fits a usual screen. */
function sizeOf({ width, height }: Layout): number {
  return Math.min(1, SCREEN.width / width, SCREEN.height / height);
}

function boxOf(model: ShownModel): Box {
  const drawn = model.members.filter(({ kind }) => DRAWN.has(kind));
  const rows = drawn.length > MOST_ROWS ? drawn.slice(0, MOST_ROWS - 1) : drawn;
  const more = drawn.length - rows.length;
  const letters = Math.max(...rows.map((row) => row.name.length + typeText(row).length + marksOf(row).length + 6), 16);
  const width = Math.ceil(Math.max(letters * LETTER, model.name.length * HEAD_LETTER + 32));
  const height = HEAD_HEIGHT + (rows.length + (more > 0 ? 1 : 0)) * ROW_HEIGHT + FOOT_HEIGHT;
  return { model, rows, more, x: 0, y: 0, width, height };
}

/**
 * A box with the name only. Nobody reads the fields of a hundred models at once; those of a selected one are beside the
 * drawing.
 */
function nameOnly(model: ShownModel): Box {
  const width = Math.ceil(model.name.length * HEAD_LETTER + 32);
  return { model, rows: [], more: 0, x: 0, y: 0, width, height: HEAD_HEIGHT };
}

export function typeText({ type, many, nullable }: ShownMember): string {
  return `${type ?? 'any'}${many ? '[]' : ''}${nullable ? '?' : ''}`;
}

/** The marks of a member: a key for a value that no two records share. */
export function marksOf({ unique, kind }: ShownMember): string {
  return `${unique ? ' ◆' : ''}${kind === 'computed' ? ' ƒ' : ''}`;
}

/** The number of records at the referring end. */
export function manyOf({ unique }: ShownEdge): string {
  return unique ? '0..1' : '*';
}

/** The number of records at the referred-to end. */
export function oneOf({ nullable }: ShownEdge): string {
  return nullable ? '0..1' : '1';
}

export function labelOf({ reference, relation }: ShownEdge): string {
  return relation === null ? reference : `${reference} ⇄ ${relation}`;
}

function laidOut(boxes: readonly Box[], edges: readonly ShownEdge[], rankdir: 'RL' | 'BT'): Layout {
  if (boxes.length === 0) return { boxes, lines: [], width: 0, height: 0 };
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir,
    nodesep: boxes.some(({ rows }) => rows.length > 0) ? GAP : GAP / 2,
    edgesep: 18,
    ranksep: 56,
    marginx: GAP,
    marginy: GAP,
  });
  const loops = edges.filter(isLoop);
  const loopHeight = (name: string): number => loops.filter(({ from }) => from === name).length * LOOP;
  for (const { model, width, height } of boxes)
    graph.setNode(model.name, { width, height: height + loopHeight(model.name) });
  for (const edge of edges.filter((each) => !isLoop(each))) {
    const label = { edge, width: labelOf(edge).length * 6.6 + 12, height: 18, labelpos: 'c' };
    graph.setEdge(edge.from, edge.to, label, edge.reference);
  }
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const put = boxes.map((box) => placed(box, graph.node(box.model.name) as Point, loopHeight(box.model.name)));
  return { boxes: put, lines: [...linesOf(graph), ...loopsOf(loops, put)], width, height };
}

function isLoop({ from, to }: ShownEdge): boolean {
  return from === to;
}

/** Places a box. dagre gives the middle of the box and the loops below it. */
function placed(box: Box, { x, y }: Point, below: number): Box {
  return { ...box, x: x - box.width / 2, y: y - (box.height + below) / 2 };
}

/** The lines from a model to itself: below the box, one under the other. */
function loopsOf(loops: readonly ShownEdge[], boxes: readonly Box[]): readonly Line[] {
  return boxes.flatMap(({ model, x, y, width, height }) =>
    loops
      .filter(({ from }) => from === model.name)
      .map((edge, at) => {
        const [left, right, bottom] = [x + 24 + at * 10, x + width - 24 - at * 10, y + height];
        const deep = bottom + LOOP * (at + 1) - 14;
        const points = [
          { x: right, y: bottom },
          { x: right, y: deep },
          { x: left, y: deep },
          { x: left, y: bottom },
        ];
        return { edge, points, label: { x: (left + right) / 2, y: deep } };
      }),
  );
}

interface Edged {
  edges(): readonly { readonly v: string; readonly w: string; readonly name?: string }[];
  edge(edge: object): unknown;
}

function linesOf(graph: Edged): readonly Line[] {
  return graph.edges().map((each) => {
    const { edge, points, x, y } = graph.edge(each) as { edge: ShownEdge; points: Point[] } & Point;
    return { edge, points: throughLabel(points, { x, y }), label: { x, y } };
  });
}

/** A curve of three points does not reach the middle one, where the label is. It does with a point that is farther out. */
function throughLabel(points: readonly Point[], label: Point): readonly Point[] {
  const [first, , last] = points;
  if (points.length !== 3 || !first || !last) return points;
  return [first, { x: 2 * label.x - (first.x + last.x) / 2, y: 2 * label.y - (first.y + last.y) / 2 }, last];
}

/** Adds further boxes in rows below the others, or in columns beside them. */
function withOthers(layout: Layout, boxes: readonly Box[], isBelow: boolean): Layout {
  const [along, across, length, breadth] = isBelow
    ? (['x', 'y', 'width', 'height'] as const)
    : (['y', 'x', 'height', 'width'] as const);
  const longest = Math.max(layout[length], SCREEN[length]);
  const corner = { x: GAP, y: GAP, [across]: layout[breadth] || GAP };
  let thickest = 0;
  const put = boxes.map((box) => {
    if (corner[along] > GAP && corner[along] + box[length] > longest) {
      corner[along] = GAP;
      corner[across] += thickest + GAP;
      thickest = 0;
    }
    const placed = { ...box, ...corner };
    corner[along] += box[length] + GAP;
    thickest = Math.max(thickest, box[breadth]);
    return placed;
  });
  return {
    boxes: [...layout.boxes, ...put],
    lines: layout.lines,
    width: Math.max(layout.width, ...put.map(({ x, width }) => x + width + GAP)),
    height: Math.max(layout.height, ...put.map(({ y, height }) => y + height + GAP)),
  };
}

// ── Neighbourhood ────────────────────────────────────────────────────────────────────────────────────────────────────

// The part of the models that is drawn. A layout of many models takes minutes, and nobody finds anything in it: then
// one model is drawn with its neighbours.

const MOST_MODELS = 100;
const MOST_EDGES = 120;
const MOST_NEIGHBOURS = 24;

export function isSmall({ models, edges }: ModelGraph): boolean {
  return models.length <= MOST_MODELS && edges.length <= MOST_EDGES;
}

/** The model in the middle, those that it is linked with, and the links between it and them. */
export function neighbourhoodOf(graph: ModelGraph, model: string) {
  const own = graph.edges.filter(({ from, to }) => from === model || to === model);
  const names = [...new Set(own.map((edge) => otherEnd(edge, model)))].filter((name) => name !== model);
  const shown = new Set([model, ...names.slice(0, MOST_NEIGHBOURS)]);
  return {
    graph: {
      models: graph.models.filter(({ name }) => shown.has(name)),
      edges: own.filter((edge) => shown.has(otherEnd(edge, model))),
    },
    /** The number of neighbours that are left out. */
    more: Math.max(0, names.length - MOST_NEIGHBOURS),
  };
}

function otherEnd({ from, to }: ShownEdge, model: string): string {
  return from === model ? to : from;
}

/** The model with the most links: a good one to begin with. */
export function centreOf({ models, edges }: ModelGraph): string | null {
  const counts = new Map<string, number>();
  for (const { from, to } of edges) for (const name of [from, to]) counts.set(name, (counts.get(name) ?? 0) + 1);
  const [first] = models;
  const best = models.reduce(
    (most, each) => ((counts.get(each.name) ?? 0) > (counts.get(most?.name ?? '') ?? 0) ? each : most),
    first,
  );
  return best?.name ?? null;
}
