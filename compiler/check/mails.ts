/** Mail: a job whose one call hands the mail to Kiln's own code. */
import type * as ast from '../ast/ast.ts';
import { OWN_CODE } from '../definition/lookup.ts';
import { nearWord } from '../diagnostics/words/near-name.ts';
import type { Action, Expression, HookArgument } from '../program/program.ts';
import { many, STRING } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { checkFitting } from './fitting.ts';
import { at, POSITIONS, type Scope } from './scope.ts';
import { checkTemplate, type Template } from './templates.ts';

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
    return value ? [argument(property, checkFitting(context, value, scope, wanted))] : [];
  };
  const args = [
    ...textOf('to', to),
    ...textOf('subject', subject),
    ...(body ? templatesOf(context, body, scope, name.span) : []),
  ];
  const code = { kind: 'source', file: OWN_CODE, export: 'mail' } as const;
  const hook = { arguments: args, code, returns: undefined };
  return [{ kind: 'service-call', hook, variable: undefined, timeout, head: name.span }];
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
    ...partsOf('html', checkTemplate(context, { path, text: html }, true, scope), span),
    ...(text === undefined ? [] : partsOf('text', checkTemplate(context, { path: plain, text }, false, scope), span)),
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
function partsOf(name: 'html' | 'text', { texts, values }: Template, span: Span): readonly HookArgument[] {
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
