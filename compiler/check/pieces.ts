/** So many declarations take about a millisecond or two. */
const PIECE = 8;

/** Does work over a list, with a stop after every few of its items. */
export function* inPieces<T>(items: readonly T[], work: (piece: readonly T[]) => void): Generator<void, void> {
  for (let start = 0; start < items.length; start += PIECE) {
    work(items.slice(start, start + PIECE));
    yield;
  }
}
