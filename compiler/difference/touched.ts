/**
 * Which endpoints a change may touch, without working out what they do: most of them, most often, are the same data and name
 * only models that are as they were.
 */
import type { Definition, Model } from '../definition/definition.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import { memoized, memoizedBeside } from '../definition/memo.ts';

/** It may say of an endpoint that has not changed that it has, but never the other way round. */
type IsUntouched = (before: Endpoint, after: Endpoint) => boolean;

/** Several parts of a difference ask. */
export const untouchedBetween = memoizedBeside((before: Definition, after: Definition): IsUntouched => {
  if (textOfOthers(before) !== textOfOthers(after)) return () => false;
  const touched = touchedModels(before, after);
  return (one, other) => textOf(one) === textOf(other) && !namedIn(textOf(other)).some((model) => touched.has(model));
});

/** What any endpoint may depend on without naming it. */
function textOfOthers({ enums, validators, auth }: Definition): string {
  return JSON.stringify([enums, validators, auth]);
}

const textOf = memoized((part: Endpoint | Model) => JSON.stringify(part));

/** Models are named under two keys, and nowhere else. Texts of authors may look so too, which touches more than needed. */
const NAMED = /"(?:model|of)":"(\w+)"/g;

function namedIn(text: string): readonly string[] {
  return [...text.matchAll(NAMED)].map(([, name]) => name as string);
}

/** Those that are not as they were, and those that depend on them. */
function touchedModels(before: Definition, after: Definition): ReadonlySet<string> {
  const [targets, readers] = [new Links(), new Links()];
  for (const { name, computed, queries, hooks, references } of [...before.models, ...after.models]) {
    for (const read of namedIn(JSON.stringify([computed, queries, hooks]))) readers.add(read, name);
    for (const { to } of references) targets.add(name, to);
  }
  // What refers to a record decides whether it can be deleted, also through records that are deleted with it.
  const deletable = targets.from(differing(before, after, ({ references }) => JSON.stringify(references)));
  return readers.from([...differing(before, after, textOf), ...deletable]);
}

function differing(before: Definition, after: Definition, textOf: (model: Model) => string): readonly string[] {
  const former = new Map(before.models.map((model) => [model.name, textOf(model)]));
  const latter = new Map(after.models.map((model) => [model.name, textOf(model)]));
  return [...new Set([...former.keys(), ...latter.keys()])].filter((name) => former.get(name) !== latter.get(name));
}

class Links {
  readonly #links = new Map<string, Set<string>>();

  add(from: string, to: string): void {
    this.#links.set(from, (this.#links.get(from) ?? new Set()).add(to));
  }

  /** All that the links lead to, and where they begin. */
  from(names: readonly string[]): ReadonlySet<string> {
    const reached = new Set(names);
    // The set grows while it is gone through.
    for (const name of reached) for (const to of this.#links.get(name) ?? []) reached.add(to);
    return reached;
  }
}
