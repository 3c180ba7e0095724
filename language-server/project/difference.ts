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
