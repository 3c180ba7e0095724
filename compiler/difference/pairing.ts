/** Which thing of one definition is which of the other. */
import type { Both } from './api-rules.ts';

export interface Paired<T> {
  readonly kept: readonly Both<T>[];
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

export type KeyOf<T> = (thing: T, isBefore: boolean) => string;

/** By the first key. Those that are left by the next one, and so on. */
export function pairedBy<T extends object>(
  before: readonly T[],
  after: readonly T[],
  keys: readonly KeyOf<T>[],
): Paired<T> {
  const kept: Both<T>[] = [];
  let rest = { removed: before, added: after };
  for (const keyOf of keys) {
    const found = pairedByOne(rest.removed, rest.added, keyOf);
    kept.push(...found.kept);
    rest = found;
  }
  return { ...rest, kept };
}

/** Only keys that one of each side has: which of several is meant would be a guess. */
function pairedByOne<T extends object>(before: readonly T[], after: readonly T[], keyOf: KeyOf<T>): Paired<T> {
  const [former, latter] = [byKey(before, (thing) => keyOf(thing, true)), byKey(after, (thing) => keyOf(thing, false))];
  const kept: Both<T>[] = [];
  for (const [key, later] of latter) {
    const earlier = former.get(key);
    if (earlier && later) kept.push({ before: earlier, after: later });
  }
  return { kept, removed: without(before, kept, 'before'), added: without(after, kept, 'after') };
}

/** Of one side: both may have the same object. */
function without<T>(things: readonly T[], pairs: readonly Both<T>[], side: keyof Both<T>): readonly T[] {
  const paired = new Set(pairs.map((pair) => pair[side]));
  return things.filter((thing) => !paired.has(thing));
}

/** Null where several have the key. */
function byKey<T>(things: readonly T[], keyOf: (thing: T) => string): ReadonlyMap<string, T | null> {
  const found = new Map<string, T | null>();
  for (const thing of things) {
    const key = keyOf(thing);
    found.set(key, found.has(key) ? null : thing);
  }
  return found;
}
