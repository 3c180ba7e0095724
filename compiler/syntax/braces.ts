import { isSign, type Token } from './tokens.ts';

export const CLOSER: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };
export const OPENER: Readonly<Record<string, string>> = { '}': '{', ')': '(', ']': '[' };

/** One interpretation of the braces of a file. */
export interface Braces {
  readonly tokens: readonly Token[];
  /** The index of the partner of each opening sign, by its index. */
  readonly partner: ReadonlyMap<number, number>;
  /** Braces that were not written, put in where the indentation shows that they are missing. */
  readonly assumed: ReadonlySet<Token>;
  /** Braces that are too many by the indentation. */
  readonly needless: ReadonlySet<Token>;
  readonly unclosed: number;
  readonly unopened: number;
  /** The lines on which the braces do not balance by themselves. */
  readonly unevenLines: ReadonlySet<number>;
}

export function bracesAsWritten(tokens: readonly Token[]): Braces {
  const partner = new Map<number, number>();
  const open: number[] = [];
  const opener = () => tokens[open.at(-1) ?? -1]?.text;
  let unopened = 0;
  tokens.forEach((token, index) => {
    if (token.kind !== 'sign') return;
    if (token.text in CLOSER) open.push(index);
    if (!(token.text in OPENER)) return;
    // A parenthesis that is still open when a brace closes was forgotten; the other way round it is out of place.
    if (token.text === '}') while (open.length > 0 && opener() !== '{') open.pop();
    if (open.length > 0 && opener() === OPENER[token.text]) partner.set(open.pop() as number, index);
    else if (token.text === '}') unopened++;
  });
  const unclosed = open.filter((index) => isSign(tokens[index], '{')).length;
  const unevenLines = linesOutOfBalance(tokens);
  return { tokens, partner, assumed: new Set(), needless: new Set(), unclosed, unopened, unevenLines };
}

function linesOutOfBalance(tokens: readonly Token[]): ReadonlySet<number> {
  const uneven = new Set<number>();
  let line = 0;
  let depth = 0;
  for (const token of tokens) {
    if (depth !== 0 && token.line !== line) uneven.add(line);
    if (token.line !== line) depth = 0;
    line = token.line;
    if (isSign(token, '{')) depth++;
    if (isSign(token, '}')) depth--;
    if (depth < 0) uneven.add(line);
  }
  if (depth !== 0) uneven.add(line);
  return uneven;
}

/**
 * Reads the braces by indentation. The content of a block is indented further than the line that opens it, and its `}`
 * is not indented less. If a line breaks this rule, a `}` is missing or too many before it. Undefined if the
 * indentation tells nothing.
 */
export function bracesByIndentation(tokens: readonly Token[]): Braces | undefined {
  const mended: Token[] = [];
  const assumed = new Set<Token>();
  const needless = new Set<Token>();
  const open: Token[] = [];
  tokens.forEach((token, index) => {
    while (open.length > 0 && leavesBlock(token, open.at(-1) as Token)) {
      const closer = assumedCloser(mended.at(-1) as Token, token);
      assumed.add(closer);
      mended.push(closer);
      open.pop();
    }
    mended.push(token);
    if (isSign(token, '{')) open.push(token);
    if (!isSign(token, '}')) return;
    if (closesTooMuch(token, open.at(-1), tokens[index + 1] as Token)) needless.add(token);
    else open.pop();
  });
  if (assumed.size === 0 && needless.size === 0) return undefined;
  return { ...bracesAsWritten(mended), assumed, needless, unclosed: 0, unopened: needless.size };
}

function leavesBlock(token: Token, open: Token): boolean {
  if (token.kind === 'end') return true;
  if (!token.startsLine || token.line === open.line) return false;
  return isSign(token, '}') ? token.indent < open.indent : token.indent <= open.indent;
}

/** The `}` that is put in. Behind a text that never ends it reports nothing: only that text is wrong. */
function assumedCloser(before: Token, next: Token): Token {
  const besideFlaw = next.kind === 'end' && next.besideFlaw;
  return { ...before, kind: 'sign', text: '}', start: before.end, startsLine: false, besideFlaw };
}

/** Whether a `}` closes too much: the text behind it is indented further than the line whose brace it would close. */
function closesTooMuch(closer: Token, open: Token | undefined, next: Token): boolean {
  if (!open) return true;
  if (open.line === closer.line || !next.startsLine || next.kind === 'end') return false;
  if (next.indent > open.indent) return true;
  // The second of two aligned `}` at the beginning of the block is too many.
  const isInPlace = closer.startsLine && closer.indent === open.indent;
  return !isInPlace && isSign(next, '}') && next.indent === open.indent;
}
