/**
 * Which part of the models is drawn. A layout of many models takes minutes, and nobody finds anything in it: then one
 * model is drawn with its neighbours.
 */
import type { ModelGraph, ShownEdge } from '../../runtime/console/model-graph.ts';

const MOST_MODELS = 100;
const MOST_EDGES = 120;
const MOST_NEIGHBOURS = 24;

export function isSmall({ models, edges }: ModelGraph): boolean {
  return models.length <= MOST_MODELS && edges.length <= MOST_EDGES;
}

export interface Neighbourhood {
  readonly graph: ModelGraph;
  /** How many neighbours are left out. */
  readonly more: number;
}

/** The model in the middle, those that it is linked with, and the links between it and them. */
export function neighbourhoodOf(graph: ModelGraph, model: string): Neighbourhood {
  const own = graph.edges.filter(({ from, to }) => from === model || to === model);
  const names = [...new Set(own.map((edge) => otherEnd(edge, model)))].filter((name) => name !== model);
  const shown = new Set([model, ...names.slice(0, MOST_NEIGHBOURS)]);
  return {
    graph: {
      models: graph.models.filter(({ name }) => shown.has(name)),
      edges: own.filter((edge) => shown.has(otherEnd(edge, model))),
    },
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
