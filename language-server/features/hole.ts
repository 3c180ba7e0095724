/**
 * Finds what could stand at a place: puts an unknown name there and asks the compiler about it. The names that it
 * misses, and the scope in which it looked, are what can be offered.
 */
import type { Declaration } from '../../compiler/ast/ast.ts';
import { checkDeclaration } from '../../compiler/check/check-declaration.ts';
import type { Context } from '../../compiler/check/context.ts';
import type { Scope } from '../../compiler/check/scope.ts';
import { readSource } from '../../compiler/compile.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { Diagnostics } from '../../compiler/diagnostics/diagnostics.ts';
import type { Type } from '../../compiler/program/program.ts';
import { bracesAsWritten, CLOSER } from '../../compiler/syntax/braces.ts';
import { isSign, type Token, tokenize } from '../../compiler/syntax/tokens.ts';

export const HOLE = 'kiln_hole';
/** The hole for a shape, whose capital letter matters. */
export const SHAPE_HOLE = 'Kiln_hole';

export interface Missing {
  /** The diagnostics of the compiler about the hole. */
  readonly diagnostics: readonly Diagnostic[];
  /** The scope in which it looked for the hole. */
  readonly scope: Scope | undefined;
  readonly expected: Type | undefined;
  /** The context that includes the declaration with the hole. */
  readonly context: Context;
}

/** The texts around a hole, of one section. */
export interface Surroundings {
  readonly before: string;
  readonly after: string;
  /** The quote that closes the text with the hole, if it is in one. */
  readonly quote: '' | '"';
  /** The text that completes the form; it is tried if the written text is not enough. */
  readonly least: string;
  /** The name of the hole; by default `HOLE`. */
  readonly hole?: string;
}

export function missingAt(
  context: Context,
  { before, after, quote, least, hole = HOLE }: Surroundings,
): Missing | undefined {
  const closers = `${quote}${closersFor(before)}`;
  const endings = least === '' ? [after, closers] : [after, ` ${least}${after}`, closers, ` ${least}${closers}`];
  for (const ending of endings) {
    const declaration = declarationWithHole(before, hole, ending);
    if (declaration) return askAbout(context, declaration, before.length);
  }
  return undefined;
}

function declarationWithHole(before: string, hole: string, after: string): Declaration | undefined {
  const read = readSource({ path: '', text: `${before}${hole}${after}` }, new Diagnostics());
  return read?.ast.declarations.find(({ span }) => span.start <= before.length && before.length <= span.end);
}

/** The signs that close everything that is open, so that a text that breaks off can be read. */
function closersFor(text: string): string {
  const { tokens } = tokenize(text);
  const closers = unclosedIn(tokens).map((index) => CLOSER[(tokens[index] as Token).text]);
  return ` ${closers.reverse().join(' ')}`;
}

function askAbout(context: Context, declaration: Declaration, hole: number): Missing {
  const diagnostics = new Diagnostics();
  let scope: Scope | undefined;
  let expected: Type | undefined;
  const known = checkDeclaration(context, declaration, diagnostics.report.bind(diagnostics), {
    meant: () => {},
    missed: (span, seen, wanted) => {
      if (span.start !== hole) return;
      // The rule of an entrypoint belongs to all its endpoints: only names that each of them sees can be used.
      if (scope && scope.names.size < seen.names.size) return;
      scope = seen;
      expected = wanted;
    },
  });
  const isAboutHole = ({ span }: Diagnostic) => span.start <= hole && hole <= span.end;
  return { diagnostics: diagnostics.sorted().filter(isAboutHole), scope, expected, context: known };
}

// ── The block around ─────────────────────────────────────────────────────────────────────────────────────────────────

// The block around a place: its other words, and its head.

export interface BlockAround {
  /** The words directly in it, before and behind the place, without those of inner blocks. */
  readonly words: readonly BlockWord[];
  /** The words of the block around it. */
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
  const open = unclosedIn(tokens).filter((index) => isSign(tokens[index], '{'));
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

/** The indexes of the braces and brackets that are not closed, the innermost last. */
export function unclosedIn(tokens: readonly Token[]): readonly number[] {
  const { partner } = bracesAsWritten(tokens);
  return tokens.flatMap(({ kind, text }, at) => (kind === 'sign' && text in CLOSER && !partner.has(at) ? [at] : []));
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
