import type { Token } from './token.ts';

/** What stands between two neighbours on one line. */
export function flatGap(before: Token, token: Token): '' | ' ' {
  if (before.text === '{' && token.text === '}') return '';
  if (token.comment) return before.text === '(' || before.text === '[' ? '' : ' ';
  return before.gluesRight || token.gluesLeft ? '' : ' ';
}

/** Where each token would begin and end if everything were on one line, so that any stretch is measured at once. */
export interface FlatColumns {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

export function flatColumns(tokens: readonly Token[]): FlatColumns {
  const starts: number[] = [];
  const ends: number[] = [];
  let column = 0;
  let before: Token | undefined;
  for (const token of tokens) {
    if (before) column += flatGap(before, token).length + (before.comma === 'never' ? 0 : 1);
    starts.push(column);
    column += flatWidth(token);
    ends.push(column);
    before = token;
  }
  return { starts, ends };
}

/** A comment to the end of the line never pushes code over the edge, and of a text over several lines the first counts. */
function flatWidth(token: Token): number {
  if (token.comment === 'line') return 0;
  const lineBreak = token.text.indexOf('\n');
  return lineBreak < 0 ? token.text.length : lineBreak;
}
