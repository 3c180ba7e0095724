/**
 * Says what is wrong with a file that could not be read, in the author's terms. tree-sitter says whether there is a
 * mistake; this reads the same text once more by the forms of forms.ts, and knows at each place what would have fitted.
 * After a mistake it goes on with the next member, so that each mistake is reported once and none hides another.
 *
 *   tokens → declarations → braces, as written or by indentation → recogniser → problems
 *
 * The recogniser walks; what it says comes from the file of each kind of mistake: flaws, misfits, unknown-words,
 * form-mistakes, value-mistakes, opening-braces, closing-braces, needless-signs, habits.
 */
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { NearName } from '../diagnostics/words/near-name.ts';
import type { SourceFile } from '../source/source-file.ts';
import { type Braces, bracesAsWritten, bracesByIndentation } from './braces.ts';
import { declarationsFrom } from './declarations.ts';
import { Reading } from './reading.ts';
import { recognise } from './recogniser.ts';
import { meantByAtWord } from './reserved-words.ts';
import { placesOf } from './shapes.ts';
import type { SyntaxNode, SyntaxTree } from './syntax-node.ts';
import { type Flaw, type Token, type Tokens, tokenize } from './tokens.ts';

/** Reports all mistakes of a file whose tree has errors, or at least the text at which reading came to a halt. */
export function reportSyntaxErrors(source: SourceFile, tree: SyntaxTree, diagnostics: Diagnostics): void {
  const problems = syntaxProblems(source);
  for (const { code, span, facts } of problems) diagnostics.report(code, span, facts);
  if (problems.length === 0) reportUnreadable(source, tree, diagnostics);
}

/**
 * Finds the problems of a text. If the grammar accepts it, these are only those that abstract syntax reports too, such
 * as reserved words as names.
 */
export function syntaxProblems(source: SourceFile): readonly Diagnostic[] {
  return declarationsFrom(source, tokenize(source.text)).flatMap((declaration) => problemsOf(declaration, source));
}

/**
 * Finds the problems of a declaration. If the braces do not balance, the indentation may tell better than their number
 * which of them is wrong.
 */
function problemsOf({ tokens, flaws }: Tokens, source: SourceFile): readonly Diagnostic[] {
  const asWritten = bracesAsWritten(tokens);
  const problems = problemsBy(asWritten, source, flaws);
  const isBalanced = asWritten.unclosed === 0 && asWritten.unopened === 0 && !problems.some(hintsAtBraces);
  const byIndentation = isBalanced ? undefined : bracesByIndentation(tokens);
  if (!byIndentation) return problems;
  const others = problemsBy(byIndentation, source, flaws);
  return explains(byIndentation, asWritten) || others.length < problems.length ? others : problems;
}

/** Whether a problem hints at misplaced braces. Their number may be right, but text is unexpected somewhere then. */
function hintsAtBraces({ code }: Diagnostic): boolean {
  return code.endsWith('-brace') || code === 'unexpected-text';
}

function problemsBy(braces: Braces, source: SourceFile, flaws: readonly Flaw[]): readonly Diagnostic[] {
  const reading = new Reading(source, braces);
  for (const flaw of flaws) if (!isAttribute(flaw)) reportFlaw(reading, flaw);
  recognise(reading);
  // Attributes come last: only now it is known which of them stand for a value, and have been reported as such.
  for (const flaw of flaws) if (isAttribute(flaw)) reportFlaw(reading, flaw);
  return reading.problems.filter((problem) => !isExplained(problem, reading));
}

/** Whether a problem lies within a habit of another language, and so is part of that one mistake. */
function isExplained({ code, span }: Diagnostic, { explained }: Reading): boolean {
  const isHabit = code === 'foreign-form' || code === 'foreign-field';
  return !isHabit && explained.some(({ start, end }) => start <= span.start && span.end <= end);
}

function isAttribute({ kind }: Flaw): boolean {
  return kind === 'foreign-attribute';
}

/** Whether the indentation finds exactly as many missing and needless braces as the count does. */
function explains({ assumed, needless }: Braces, { unclosed, unopened }: Braces): boolean {
  return assumed.size === unclosed && needless.size === unopened;
}

/** Reports the first place at which tree-sitter could not continue. */
export function reportUnreadable(source: SourceFile, tree: SyntaxTree, diagnostics: Diagnostics): void {
  const { start: from, end } = firstUnread(tree) ?? tree.root;
  const start = firstVisible(source.text, from);
  const [found = ''] = source.text.slice(start, Math.min(Math.max(end, start + 1), start + 40)).split('\n', 1);
  diagnostics.report('unreadable-text', { file: source.path, start, end: start + found.length }, { found });
}

/** The offset of the first visible character from an offset on; at the end of the text, of the last one. */
function firstVisible(text: string, offset: number): number {
  const blank = text.slice(offset).search(/\S/);
  return blank < 0 ? Math.max(0, text.trimEnd().length - 1) : offset + blank;
}

/** The first node below the root that is an error or had to be assumed. */
function firstUnread(tree: SyntaxTree): SyntaxNode | undefined {
  const ahead = tree.root.children.toReversed();
  for (let node = ahead.pop(); node; node = ahead.pop()) {
    if (node.type === 'ERROR' || node.start === node.end) return node;
    for (let at = node.children.length - 1; at >= 0; at--) ahead.push(node.children[at] as SyntaxNode);
  }
  return undefined;
}

// ── Flaws ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Reports text that is neither a word nor a sign.

function reportFlaw(reading: Reading, { kind, start, end }: Flaw): void {
  const token: Token = { ...reading.token, start, end };
  const span = reading.spanOf(token);
  const found = reading.source.text.slice(start, end);
  switch (kind) {
    case 'unreadable-character':
      reading.report(kind, { found, pattern: patternAround(reading.source.text, start) }, token);
      break;
    case 'unterminated-string': {
      const closing = { span: reading.spanBehind(token), text: '"' };
      reading.report(kind, { overLines: found.includes('\n'), closing }, token);
      break;
    }
    case 'unterminated-raw-string':
    case 'unterminated-comment':
      reading.report(kind, {}, { ...token, end: start + (found.startsWith('/*') ? 2 : 3) });
      break;
    case 'foreign-quotes':
      reading.report(
        kind,
        { instead: doublyQuoted(found), joins: found.includes('${'), joined: joinedParts(found) },
        token,
      );
      break;
    case 'foreign-comment':
      reading.report(kind, { span: { ...span, end: start + (found.startsWith('--') ? 2 : 1) } }, token);
      break;
    case 'foreign-attribute':
      reading.report(kind, { found, ...meantByAttribute(found) }, token);
      break;
    case 'foreign-letters':
      reading.report('bad-name', { name: found, better: inPlainLetters(found), span }, token);
      break;
    default:
      kind satisfies never;
  }
}

/** Looking further would take long in a source with many such characters. */
const LONGEST_PATTERN = 200;

/** The regular expression of JavaScript that this is part of, as a text of Kiln. */
function patternAround(text: string, at: number): string | undefined {
  const around = text.slice(Math.max(0, at - LONGEST_PATTERN), at + LONGEST_PATTERN);
  const patterns = around.matchAll(/\(\/((?:\\.|[^/\n\\])+)\/\w*\)/g);
  const middle = Math.min(at, LONGEST_PATTERN);
  const [, pattern] = [...patterns].find((each) => each.index <= middle && middle < each.index + each[0].length) ?? [];
  return pattern && JSON.stringify(pattern);
}

/** `"Hello " + name` for a template with nothing but names in it. */
function joinedParts(template: string): string | undefined {
  const parts = template
    .slice(1, -1)
    .split(/(\$\{[^{}]*\})/)
    .filter((part) => part !== '');
  const values = parts.map((part) => (part.startsWith('${') ? part.slice(2, -1).trim() : doublyQuoted(`'${part}'`)));
  const isSimple = values.every((value) => /^("|[A-Za-z_@][\w.]*$)/.test(value));
  return isSimple ? values.join(' + ') : undefined;
}

function doublyQuoted(text: string): string {
  const content = text.slice(1, /['`”’»]$/.test(text.slice(1)) ? -1 : undefined);
  const escaped = content.replace(/\\?(['"`])/g, (_, quote: string) => (quote === '"' ? '\\"' : quote));
  return `"${escaped}"`;
}

function meantByAttribute(attribute: string): { near: NearName | undefined; word: string | undefined } {
  const near = meantByAtWord(attribute);
  const word = attribute.replace(/^@+/, '');
  return { near, word: !near && placesOf(word).length > 0 ? word : undefined };
}

function inPlainLetters(name: string): string | undefined {
  const plain = name.normalize('NFD').replace(/[\p{M}$]/gu, '');
  return /^[A-Za-z_]\w*$/.test(plain) ? plain : undefined;
}
