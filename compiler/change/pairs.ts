/** What is still there, what is new and what is gone, of things that have names and may say how they were called. */

export interface Pair<T> {
  readonly previous: T;
  readonly next: T;
}

export interface Pairs<T> {
  readonly kept: readonly Pair<T>[];
  readonly added: readonly T[];
  readonly gone: readonly T[];
  /** `next` says that it was `previous`, but its own name was there as well: which of the two it was is anybody's guess. */
  readonly ambiguous: readonly Pair<T>[];
}

interface Named {
  readonly name: string;
  readonly was: string | null;
}

/** A `was` may stay in the source after its release: then the new name is in `previous`, the old one is not. */
export function pairsOf<T extends Named>(
  previous: readonly T[],
  next: readonly T[],
  formerOf?: (item: T) => T | undefined,
): Pairs<T> {
  const byName = new Map(previous.map((item) => [item.name, item]));
  const kept: Pair<T>[] = [];
  const added: T[] = [];
  const ambiguous: Pair<T>[] = [];
  for (const item of next) {
    const same = byName.get(item.name);
    const former = formerOf ? formerOf(item) : item.was === null ? undefined : byName.get(item.was);
    if (same && former && same !== former) ambiguous.push({ previous: former, next: item });
    const found = same ?? former;
    if (found) kept.push({ previous: found, next: item });
    else added.push(item);
  }
  const found = new Set(kept.map((pair) => pair.previous));
  return { kept, added, gone: previous.filter((item) => !found.has(item)), ambiguous };
}

export function named<T extends { readonly name: string }>(items: readonly T[], name: string | null): T | undefined {
  return name === null ? undefined : items.find((item) => item.name === name);
}
