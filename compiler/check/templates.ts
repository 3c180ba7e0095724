/** Templates of mails: text with expressions in `{{ }}`, each of which is one value. */
import { expressionIn } from '../ast/template.ts';
import type { Expression } from '../program/program.ts';
import { isAny, typeName } from '../program/type.ts';
import type { SourceFile, Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import type { Scope } from './scope.ts';

/** `written` is for messages at run time. */
interface TemplateValue {
  readonly written: string;
  readonly value: Expression;
}

/** There is one text more than there are values. */
export interface Template {
  readonly texts: readonly string[];
  readonly values: readonly TemplateValue[];
}

/** An expression may have `}}` in a text in quotes. */
const EXPRESSION = /\{\{(?<inside>(?:"(?:[^"\\\n]|\\.)*"|(?!\}\})[^"])*)\}\}/g;

export function checkTemplate(context: Context, source: SourceFile, isHtml: boolean, scope: Scope): Template {
  const texts: string[] = [];
  const values: TemplateValue[] = [];
  let behind = 0;
  for (const { index, groups, 0: whole } of source.text.matchAll(EXPRESSION)) {
    const span = { file: source.path, start: index, end: index + whole.length };
    const before = source.text.slice(behind, index);
    texts.push(before);
    // A value stands for one letter here.
    const wrong = isHtml ? misplacedBehind(texts.join('x')) : undefined;
    if (wrong) context.report('bad-mail-value', span, { why: wrong });
    reportUnclosed(context, source, behind, index);
    values.push(...checkedValue(context, source, span, groups?.inside ?? '', scope));
    behind = span.end;
  }
  texts.push(source.text.slice(behind));
  reportUnclosed(context, source, behind, source.text.length);
  return { texts, values };
}

function checkedValue(
  context: Context,
  source: SourceFile,
  span: Span,
  inside: string,
  scope: Scope,
): readonly TemplateValue[] {
  const start = span.start + 2 + inside.length - inside.trimStart().length;
  const end = start + inside.trim().length;
  if (start === end) return context.report('bad-mail-value', span, { why: 'empty' }) ?? [];
  const expression = expressionIn(source, { start, end }, context.report);
  // An input may be used in what cannot be read.
  if (!expression) return context.inputUse.readAll() ?? [];
  const value = context.checkExpression(context, expression, scope);
  const { base, many } = value.type;
  const isValue = !many && base.kind !== 'record' && base.kind !== 'json' && base.kind !== 'object';
  if (!isValue && !isAny(value.type)) context.report('not-a-mail-value', value.span, { type: typeName(value.type) });
  return [{ written: `{{ ${inside.trim()} }} in ${source.path}`, value }];
}

/** A `{{` between two expressions begins none. */
function reportUnclosed({ report }: Context, { path: file, text }: SourceFile, from: number, to: number): void {
  const start = text.slice(0, to).indexOf('{{', from);
  if (start >= 0) report('bad-mail-value', { file, start, end: start + 2 }, { why: 'unclosed' });
}

const ATTRIBUTES = `(?:"[^"]*"|'[^']*'|[^"'>])*`;

/**
 * Comments, scripts, style sheets and tags, each up to the end of the text if it is not closed. What is in
 * `<!--[if mso]>` is read by some programs, and `<!-->` is a whole comment.
 */
const NO_TEXT = new RegExp(
  [
    '<!--(?!\\[if|-?>)[^]*?(?:-->|$)',
    `<(?<raw>script|style)(?![^\\s/>])${ATTRIBUTES}>[^]*?(?:</\\k<raw>\\s*>|(?<inside>$))`,
    `</?[a-z]${ATTRIBUTES}(?:>|(?<tag>$)|["'][^]*$)`,
  ].join('|'),
  'gi',
);

/** What is wrong with a value behind this HTML. It may stand in text, in a comment and in the quotes of an attribute. */
function misplacedBehind(html: string): 'script' | 'style' | 'tag' | 'element' | undefined {
  const last = [...html.matchAll(NO_TEXT)].at(-1);
  if (last?.groups?.inside !== undefined) return last.groups.raw?.toLowerCase() as 'script' | 'style';
  if (last?.groups?.tag !== undefined) return 'tag';
  const text = html.slice(last ? last.index + last[0].length : 0);
  return /<[/!?]?$/.test(text) ? 'element' : undefined;
}
