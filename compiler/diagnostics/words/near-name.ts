import type { Span } from '../../source/source-file.ts';

/** A name that the author may have meant, and where it is declared. */
export interface NearName {
  readonly name: string;
  readonly span?: Span | undefined;
}

/** The candidate closest to the written name; undefined if none is close enough. */
export function nearName<T extends NearName>(written: string, candidates: Iterable<T>): T | undefined {
  let best: T | undefined;
  let bestDistance = furthestMeant(written) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(written.toLowerCase(), candidate.name.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

export function nearWord(written: string, words: Iterable<string>): NearName | undefined {
  return nearName(
    written,
    Array.from(words, (name) => ({ name })),
  );
}

/** One slip in a short word, up to three in a long one. */
function furthestMeant(written: string): number {
  return Math.min(3, Math.max(1, Math.floor(written.length / 3)));
}

/** Levenshtein's distance with neighbours swapped counting as one; gives up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      );
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] as number) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}
