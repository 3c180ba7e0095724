/**
 * Leads from places of a text to the same places of a later one, where all that changed lies in one stretch. What lay in
 * that stretch is nowhere any more.
 */
export interface Shift {
  place(offset: number): number | undefined;
  /** For what must not have changed itself, such as a name. */
  unchanged(start: number, end: number): { readonly start: number; readonly end: number } | undefined;
  /** For what may have changed within, such as a declaration. */
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
    // What ends where the change begins may have grown by it, but a place in the tail is the surer one.
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

/** Whether no letter touches it that was not there before. */
function isWhole(text: string, start: number, end: number): boolean {
  return !(isLetter(text, start - 1) && isLetter(text, start)) && !(isLetter(text, end - 1) && isLetter(text, end));
}

function isLetter(text: string, at: number): boolean {
  return /\w/.test(text.charAt(at));
}

/** How much two texts have in common at their beginning and at their end, without overlap. */
export function commonEnds(before: string, after: string): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  const [lastBefore, lastAfter] = [before.length - 1, after.length - 1];
  let tail = 0;
  while (tail < shorter - head && before.charCodeAt(lastBefore - tail) === after.charCodeAt(lastAfter - tail)) tail++;
  return { head, tail };
}
