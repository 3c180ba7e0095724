/**
 * Maps places of a text to the same places of a later one, if all changes lie in one range. Places in that range are
 * lost.
 */
export interface Shift {
  place(offset: number): number | undefined;
  /** Maps a range that must not have changed itself, such as a name. */
  unchanged(start: number, end: number): { readonly start: number; readonly end: number } | undefined;
  /** Maps a range that may have changed within, such as a declaration. */
  around(start: number, end: number): { readonly start: number; readonly end: number } | undefined;
}

const STAYS: Shift = {
  place: (offset) => offset,
  unchanged: (start, end) => ({ start, end }),
  around: (start, end) => ({ start, end }),
};

export function shiftBetween(before: string, after: string): Shift {
  if (before === after) return STAYS;
  const { head, tail } = commonEnds(before, after);
  return shiftOf(head, before.length - tail, after.length - before.length, after);
}

function shiftOf(head: number, tailFrom: number, moved: number, after: string): Shift {
  const place = (offset: number) => (offset <= head ? offset : offset >= tailFrom ? offset + moved : undefined);
  const around: Shift['around'] = (start, end) => {
    const from = place(start);
    // A range that ends where the change begins may have grown by it, but a place in the tail is more certain.
    const to = end >= tailFrom ? end + moved : place(end);
    return from === undefined || to === undefined || to < from ? undefined : { start: from, end: to };
  };
  const unchanged: Shift['unchanged'] = (start, end) => {
    const found =
      end <= head ? { start, end } : start >= tailFrom ? { start: start + moved, end: end + moved } : undefined;
    return found && isWhole(after, found.start, found.end) ? found : undefined;
  };
  return { place, unchanged, around };
}

/** Whether no new letter touches the range. */
function isWhole(text: string, start: number, end: number): boolean {
  return !(isLetter(text, start - 1) && isLetter(text, start)) && !(isLetter(text, end - 1) && isLetter(text, end));
}

function isLetter(text: string, at: number): boolean {
  return /\w/.test(text.charAt(at));
}

/** The lengths of the common beginning and the common end of two texts, without overlap. */
export function commonEnds(before: string, after: string): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  const [lastBefore, lastAfter] = [before.length - 1, after.length - 1];
  let tail = 0;
  while (tail < shorter - head && before.charCodeAt(lastBefore - tail) === after.charCodeAt(lastAfter - tail)) tail++;
  return { head, tail };
}
