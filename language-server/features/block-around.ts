/** The block that a place is in: what else stands in it, and what it is a block of. */
import { type Token, tokenize } from '../../compiler/syntax/tokens.ts';

export interface BlockAround {
  /** The words directly in it, before and behind the place, without those of inner blocks. */
  readonly words: readonly BlockWord[];
  /** Those of the block around it. */
  readonly outerWords: readonly BlockWord[];
  /** The text before its brace, such as `… list endpoint`. */
  readonly head: string;
  /** The text before the brace of the block around it. */
  readonly outerHead: string;
}

interface BlockWord {
  readonly text: string;
  /** The signs and words directly before and behind it. */
  readonly before: string;
  readonly after: string;
}

export function blockAround(before: string, after: string): BlockAround {
  const { tokens } = tokenize(before);
  const open = openBraces(tokens);
  const inner = open.at(-1);
  const outer = open.at(-2);
  const behind = tokenize(after).tokens;
  const own = upToClosing(behind);
  return {
    words: [...wordsIn(tokens.slice((inner ?? -1) + 1)), ...wordsIn(own)],
    outerWords: [
      ...wordsIn(tokens.slice((outer ?? -1) + 1, inner)),
      ...wordsIn(upToClosing(behind.slice(own.length + 1))),
    ],
    head: before.slice(0, tokens[inner ?? 0]?.start ?? 0).trimEnd(),
    outerHead: outer === undefined ? '' : before.slice(0, tokens[outer]?.start).trimEnd(),
  };
}

/** The indexes of the braces that are not closed, the innermost last. */
function openBraces(tokens: readonly Token[]): readonly number[] {
  const open: number[] = [];
  tokens.forEach(({ kind, text }, index) => {
    if (kind !== 'sign') return;
    if (text === '{') open.push(index);
    else if (text === '}') open.pop();
  });
  return open;
}

function upToClosing(tokens: readonly Token[]): readonly Token[] {
  let depth = 0;
  const end = tokens.findIndex(({ kind, text }) => {
    if (kind === 'sign' && text === '{') depth++;
    if (kind === 'sign' && text === '}') depth--;
    return depth < 0;
  });
  return end < 0 ? tokens : tokens.slice(0, end);
}

function wordsIn(tokens: readonly Token[]): readonly BlockWord[] {
  let depth = 0;
  return tokens.flatMap(({ kind, text }, index) => {
    if (kind === 'sign' && '{(['.includes(text)) depth++;
    if (kind === 'sign' && '})]'.includes(text)) depth--;
    if (kind !== 'word' || depth !== 0) return [];
    return [{ text, before: tokens[index - 1]?.text ?? '', after: tokens[index + 1]?.text ?? '' }];
  });
}
