const MOST_LINES = 40;
const LONGEST_LINE = 160;
const SHOWN_AT_ENDS = 4;

/** A source as a reader can take it in: the middle of what is very long is left out. */
export function shownSource(source: string): string {
  const lines = source
    .trimEnd()
    .split('\n')
    .map((line) => middleLeftOut(line, line.length > LONGEST_LINE, 40, '…').join(''));
  const isLong = lines.length > MOST_LINES;
  return middleLeftOut(lines, isLong, SHOWN_AT_ENDS, `  // … ${lines.length - 2 * SHOWN_AT_ENDS} lines more …`).join(
    '\n',
  );
}

function middleLeftOut(
  parts: ArrayLike<string> & Iterable<string>,
  isLong: boolean,
  ends: number,
  mark: string,
): readonly string[] {
  const all = [...parts];
  return isLong ? [...all.slice(0, ends), mark, ...all.slice(-ends)] : all;
}
