import type { Api, Entrypoint } from '../definition/definition.ts';
import { memoized } from '../definition/memo.ts';
import { chainOf } from '../program/endpoint-path.ts';
import type * as program from '../program/program.ts';
import { snakeCase } from '../program/snake-case.ts';
import { orNull } from './types.ts';

/** Several blocks of one name are one API: what is said above each of them is said of it. */
export function apisFrom(apis: readonly program.Api[]): readonly Api[] {
  const docs = new Map<string | undefined, (string | undefined)[]>();
  for (const { name, doc } of apis) docs.set(name, [...(docs.get(name) ?? []), doc]);
  return [...docs]
    .map(([name, said]) => ({ name: orNull(name), doc: joined(said) }))
    .sort((a, b) => compare(a.name ?? '', b.name ?? ''));
}

/** All the entrypoints that have endpoints, or entrypoints with endpoints, below them. */
export function entrypointsFrom(endpoints: readonly program.Endpoint[]): readonly Entrypoint[] {
  const found = new Map<string, { readonly first: Entrypoint; readonly all: Set<program.Entrypoint> }>();
  for (const level of levelsOf(endpoints)) {
    const id = entrypointId(level);
    const first: Entrypoint = { id, api: orNull(level.api), model: level.model.name, doc: null };
    const entry = found.get(id) ?? { first, all: new Set() };
    found.set(id, entry);
    entry.all.add(level);
  }
  return [...found.values()]
    .map(({ first, all }) => ({ ...first, doc: joined([...all].map(({ doc }) => doc)) }))
    .sort((a, b) => compare(a.id, b.id));
}

/** The entrypoints, each once, from the outermost ones inwards. */
export function levelsOf(endpoints: readonly program.Endpoint[]): ReadonlySet<program.Entrypoint> {
  const levels = new Set<program.Entrypoint>();
  for (const { entrypoint } of endpoints) {
    if (!levels.has(entrypoint)) for (const level of chainOf(entrypoint)) levels.add(level);
  }
  return levels;
}

/** All the endpoints of an entrypoint ask. */
export const entrypointId = memoized((entrypoint: program.Entrypoint): string => {
  const segments = chainOf(entrypoint).map(({ segment }) => segment);
  return [...(entrypoint.api === undefined ? [] : [snakeCase(entrypoint.api)]), ...segments].join('.');
});

function joined(docs: readonly (string | undefined)[]): string | null {
  const said = docs.filter((doc) => doc !== undefined);
  return said.length === 0 ? null : said.join('\n\n');
}

/** By code unit: no locale may change the bytes. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
