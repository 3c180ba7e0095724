/** Mail: a job whose one call hands the mail to Kiln's own code. */
import type * as ast from '../ast/ast.ts';
import { expressionIn } from '../ast/template.ts';
import { OWN_CODE } from '../definition/lookup.ts';
import { nearWord } from '../diagnostics/words/near-name.ts';
import { partsOf } from '../program/parts.ts';
import type { Action, Expression, HookArgument } from '../program/program.ts';
import { isAny, many, STRING, typeName } from '../program/type.ts';
import type { SourceFile, Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { checkFitting } from './fitting.ts';
import { at, POSITIONS, type Scope } from './scope.ts';

/** The folder of templates. */
const FOLDER = 'mails';

export function isTemplatePath(path: string): boolean {
  return path.startsWith(`${FOLDER}/`) && /\.(html|txt)$/.test(path);
}

export function checkMail(
  context: Context,
  mail: ast.MailDeclaration,
  start: Scope,
  timeout: number,
): readonly Action[] {
  const { name, to, subject, body } = mail;
  const scope = at(start, POSITIONS.mail);
  const missing = Object.entries({ to, subject, body }).flatMap(([property, found]) => (found ? [] : [property]));
  if (missing.length > 0) context.report('mail-incomplete', name.span, { mail: name.text, missing });
  const textOf = (property: string, value: ast.Expression | undefined) => {
    const wanted = { type: STRING, by: `\`${property}\` of a mail`, takes: true };
    if (!value) return [];
    const checked = checkFitting(context, value, scope, wanted);
    reportTemplates(context, checked);
    return [argument(property, checked)];
  };
  const args = [
    ...textOf('to', to),
    ...textOf('subject', subject),
    ...(body ? templatesOf(context, body, scope, name.span) : []),
  ];
  const code = { kind: 'source', file: OWN_CODE, export: 'mail' } as const;
  const hook = { arguments: args, code, returns: undefined };
  return [{ kind: 'service-call', record: null, hook, timeout, head: name.span }];
}

/** A text in quotes would be sent as it is. */
function reportTemplates(context: Context, value: Expression): void {
  const isTemplate = value.kind === 'literal' && typeof value.value === 'string' && value.value.includes('{{');
  if (isTemplate) context.report('bad-mail-value', value.span, { why: 'text' });
  for (const part of partsOf(value)) reportTemplates(context, part);
}

/** Whether it is the template of the mail, or the one for its plain text. */
export function isTemplateOf({ body }: ast.MailDeclaration, path: string): boolean {
  return body !== undefined && `${FOLDER}/${fileOf(body)}` === path.replace(/\.txt$/, '.html');
}

function fileOf({ value }: ast.Text): string {
  return value.replace(/^\.\//, '');
}

/** The template, and the one for the plain text if there is one. */
function templatesOf(context: Context, body: ast.Text, scope: Scope, span: Span): readonly HookArgument[] {
  const file = fileOf(body);
  const isInside = !file.startsWith('/') && !file.split('/').includes('..');
  if (!isInside || !file.endsWith('.html')) {
    context.report('bad-mail-file', body.span, { file, folder: FOLDER, isInside });
    return [];
  }
  const path = `${FOLDER}/${file}`;
  const html = context.fileText(path);
  if (html === undefined) {
    context.report('mail-file-missing', body.span, { file, folder: FOLDER, near: nearFile(context, file) });
    // An input may be used in it.
    context.inputUse.readAll();
    return [];
  }
  const plain = path.replace(/\.html$/, '.txt');
  const text = context.fileText(plain);
  return [
    ...templateArguments('html', checkTemplate(context, { path, text: html }, true, scope), span),
    ...(text === undefined
      ? []
      : templateArguments('text', checkTemplate(context, { path: plain, text }, false, scope), span)),
  ];
}

/** Nobody lists the files of a project for the compiler, so these are tried. */
function nearFile({ fileText }: Context, file: string): string | undefined {
  const [stem = ''] = file.split('.html');
  const cases = [
    stem.toLowerCase(),
    stem.replaceAll('_', '-'),
    stem.replaceAll('-', '_'),
    stem.replace(/s$/, ''),
    `${stem}s`,
  ];
  const there = cases.map((each) => `${each}.html`).filter((each) => fileText(`${FOLDER}/${each}`) !== undefined);
  return nearWord(file, there)?.name;
}

/** The texts around the expressions as one list, and each expression by itself: they have types of their own. */
function templateArguments(name: 'html' | 'text', { texts, values }: Template, span: Span): readonly HookArgument[] {
  const items = texts.map((value): Expression => ({ kind: 'literal', value, type: STRING, span }));
  const list: Expression = { kind: 'list', items, type: many(STRING), span };
  return [
    argument(name, list),
    ...values.map(({ value, written }, index) => argument(`${name}${index}`, value, written)),
  ];
}

function argument(name: string, value: Expression, doc: string | null = null): HookArgument {
  return { name, doc, value };
}

// ── Templates ────────────────────────────────────────────────────────────────────────────────────────────────────────

// Templates of mails: text with expressions in `{{ }}`, each of which is one value.

/** `written` is for messages at run time. */
interface TemplateValue {
  readonly written: string;
  readonly value: Expression;
}

/** There is one text more than there are values. */
interface Template {
  readonly texts: readonly string[];
  readonly values: readonly TemplateValue[];
}

/** An expression may have `}}` in a text in quotes. */
const EXPRESSION = /\{\{(?<inside>(?:"(?:[^"\\\n]|\\.)*"|(?!\}\})[^"])*)\}\}/g;

function checkTemplate(context: Context, source: SourceFile, isHtml: boolean, scope: Scope): Template {
  const texts: string[] = [];
  const values: TemplateValue[] = [];
  let behind = 0;
  for (const { index, groups, 0: whole } of source.text.matchAll(EXPRESSION)) {
    const span = { file: source.path, start: index, end: index + whole.length };
    if (/^\s*[#^/>]/.test(groups?.inside ?? '')) {
      context.report('bad-mail-value', span, { why: 'block' });
      // What stands in a block is about something else, and an input may be used in it.
      return context.inputUse.readAll() ?? { texts, values };
    }
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
