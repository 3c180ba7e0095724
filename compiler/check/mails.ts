/** Mail: a job whose one call hands the mail to Kiln's own code. */
import type * as ast from '../ast/ast.ts';
import { OWN_CODE } from '../definition/lookup.ts';
import type { Action, Expression, HookArgument } from '../program/program.ts';
import { STRING } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { checkFitting } from './fitting.ts';
import { at, POSITIONS, type Scope } from './scope.ts';

export function checkMail(
  context: Context,
  { name, to, subject, body }: ast.MailDeclaration,
  start: Scope,
  timeout: number,
): readonly Action[] {
  const scope = at(start, POSITIONS.mail);
  const textOf = (value: ast.Expression | undefined, by: string) =>
    value && checkFitting(context, value, scope, { type: STRING, by, takes: true });
  const html = body && context.fileText(`mails/${body.value}`);
  const args: readonly HookArgument[] = [
    argument('to', textOf(to, '`to`')),
    argument('subject', textOf(subject, '`subject`')),
    argument('html', literal(html ?? '', name.span)),
  ].flatMap((each) => each ?? []);
  const code = { kind: 'source', file: OWN_CODE, export: 'mail' } as const;
  const hook = { arguments: args, code, returns: undefined };
  return [{ kind: 'service-call', hook, variable: undefined, timeout, head: name.span }];
}

function argument(name: string, value: Expression | undefined): HookArgument | undefined {
  return value && { name, doc: null, value };
}

function literal(value: string, span: Span): Expression {
  return { kind: 'literal', value, type: STRING, span };
}
