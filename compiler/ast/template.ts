/** The expressions of a file that is not Kiln: each is read as if it stood in a declaration, and placed where it is. */
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { SourceFile, Span } from '../source/source-file.ts';
import { parseText } from '../syntax/parse-text.ts';
import { reportNesting, type SyntaxNode } from '../syntax/syntax-node.ts';
import { reportSyntaxErrors } from '../syntax/syntax-problems.ts';
import type { Expression } from './ast.ts';
import { astFromCst } from './ast-from-cst.ts';

/** The text is one expression if these parentheses belong together. */
const BEFORE = 'mail Mail { subject (';
const BEHIND = ') }';

/** Undefined if the text between the two offsets is no expression, which is reported. */
export function expressionIn(
  { path, text }: SourceFile,
  { start, end }: Pick<Span, 'start' | 'end'>,
  report: Diagnostics['report'],
): Expression | undefined {
  const by = start - BEFORE.length;
  const source = { path, text: `${BEFORE}${text.slice(start, end)}${BEHIND}` };
  const moved: Diagnostics['report'] = (code, span, facts) =>
    report(code, within(span, by, start, end), shifted(facts, by));
  const diagnostics = { report: moved } as Diagnostics;
  const tree = parseText(source.text);
  if (tree.hasErrors) reportSyntaxErrors(source, tree, diagnostics);
  if (tree.hasErrors || !reportNesting(source, tree, diagnostics)) return undefined;
  const closing = firstClosing(tree.root) - 1;
  if (closing < BEFORE.length + end - start)
    return moved(
      'unexpected-closing-bracket',
      { file: path, start: closing, end: closing + 1 },
      { found: ')', open: '(', opensAgain: true },
    );
  const [mail] = astFromCst(source, tree, diagnostics).declarations;
  return mail?.kind === 'mail' && mail.subject ? shifted(mail.subject, by) : undefined;
}

/** The end of the parentheses that begin before the text. */
function firstClosing({ type, start, end, children }: SyntaxNode): number {
  if (type === 'parenthesized' && start === BEFORE.length - 1) return end;
  const within = children.find((child) => child.end >= BEFORE.length);
  return within ? firstClosing(within) : end;
}

/** What is wrong with the end of the text is told at its last character. */
function within({ file, ...span }: Span, by: number, start: number, end: number): Span {
  const from = Math.min(Math.max(span.start + by, start), end - 1);
  return { file, start: from, end: Math.max(from + 1, Math.min(span.end + by, end)) };
}

/** The same data with all places in it moved. */
function shifted<T>(data: T, by: number): T {
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map((item) => shifted(item, by)) as T;
  const copy = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, shifted(value, by)]));
  if ('file' in data && typeof copy.start === 'number' && typeof copy.end === 'number')
    return { ...copy, start: copy.start + by, end: copy.end + by } as T;
  return copy as T;
}
