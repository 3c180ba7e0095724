import type { SourceFile } from '../source/source-file.ts';
import { bracesAsWritten } from './braces.ts';
import { Reading } from './reading.ts';
import { wordsFor } from './shapes.ts';
import { type Flaw, isSign, type Token, type Tokens, tokenize } from './tokens.ts';

/**
 * The declarations of a file one by one, so that a brace that is missing in one of them says nothing about the others. A
 * line that begins in the first column with a word such as `model` ends what came before it, be it closed or not.
 */
export function declarationsFrom(source: SourceFile, { tokens, flaws }: Tokens): readonly Tokens[] {
  const starts = declarationStarts(source, tokens);
  let flaw = 0;
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? tokens.length - 1;
    const next = tokens[end] as Token;
    const firstFlaw = flaw;
    while (flaw < flaws.length && (next.kind === 'end' || (flaws[flaw] as Flaw).start < next.start)) flaw++;
    return { tokens: [...tokens.slice(start, end), { ...next, kind: 'end' }], flaws: flaws.slice(firstFlaw, flaw) };
  });
}

/**
 * The offsets at which a text can be cut so that its pieces mean the same as the whole: directly behind the end of the
 * previous declaration, so that the comments above a declaration stay with it.
 */
export function declarationCuts(text: string): readonly number[] {
  const { tokens } = tokenize(text);
  const starts = declarationStarts({ path: '', text }, tokens).slice(1);
  const cuts = starts.map((start) => (tokens[start - 1] as Token).end);
  return cuts.filter((cut) => !hasDocBehind(text, cut));
}

/**
 * Tells whether a doc comment stands on the line of what it follows. It describes something else than its place
 * suggests, which must stay visible.
 */
function hasDocBehind(text: string, cut: number): boolean {
  const end = text.indexOf('\n', cut);
  return text.slice(cut, end < 0 ? undefined : end).includes('///');
}

function declarationStarts(source: SourceFile, tokens: readonly Token[]): readonly number[] {
  const reading = new Reading(source, bracesAsWritten(tokens));
  const starts = [0];
  let open: Token[] = [];
  tokens.forEach((token, at) => {
    if (at > 0 && beginsDeclaration(reading, at, open, tokens[starts.at(-1) as number] as Token)) {
      starts.push(at);
      open = [];
    }
    if (isSign(token, '{')) open.push(token);
    if (isSign(token, '}')) open.pop();
  });
  return starts;
}

function beginsDeclaration(reading: Reading, at: number, open: readonly Token[], first: Token): boolean {
  const { kind, text, startsLine, indent } = reading.tokenAt(at);
  if (kind !== 'word' || !startsLine || indent > 0 || !DECLARATION_WORDS.has(text)) return false;
  const innermost = open.at(-1);
  if (!innermost && reading.isAt('}', at - 1)) return true;
  return (!innermost || isIndented(innermost, first)) && reading.fitsForm('file', at);
}

/** Whether the content is indented. Without indentation, a word in the first column may well be a member. */
function isIndented(brace: Token, declaration: Token): boolean {
  return brace.indent > 0 || brace.line === declaration.line;
}

const DECLARATION_WORDS: ReadonlySet<string> = new Set(wordsFor('file'));
