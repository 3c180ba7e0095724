/** `@request.header("x-tenant")` and `@claims.tenant`: texts that a request brings beside its inputs. */
import type * as ast from '../ast/ast.ts';
import type { Expression, Root } from '../program/program.ts';
import { nullable, STRING } from '../program/type.ts';
import { isHeaderName } from './answer-head.ts';
import { functionsAt } from './calls.ts';
import { type Context, reported, textOf } from './context.ts';
import { narrowed, rootKey } from './narrowing.ts';
import { lacks, type Scope } from './scope.ts';
import { reportNotAsked } from './unknown-names.ts';

export function checkRequestPath(context: Context, path: ast.RequestPath, scope: Scope): Expression {
  const { span, root: word } = path;
  const root = rootOf(context, path, scope);
  if (!root) return reported(span);
  context.witness?.meant({ ...span, end: span.start + word.length }, { kind: 'request', from: root.from });
  if (!scope.position.auth || lacks(scope, root)) return reportNotAsked(context, word, span, scope);
  return { kind: 'path', root, steps: [], type: narrowed(nullable(STRING), rootKey(root), scope), span };
}

const REQUEST = '@request';
const CLAIMS = '@claims';

type RequestRoot = Extract<Root, { kind: 'request' }>;

/** The root of the path; undefined if there is none, which has been reported. */
function rootOf(context: Context, path: ast.RequestPath, scope: Scope): RequestRoot | undefined {
  if (path.root === REQUEST) return headerOf(context, path);
  if (path.root === CLAIMS) return claimOf(context, path);
  const name = [path.root, textOf(path.steps)].join('.');
  return context.report('unknown-function', path.span, { name, near: undefined, functions: functionsAt(scope) });
}

function headerOf(context: Context, { steps, arguments: args, span }: ast.RequestPath): RequestRoot | undefined {
  const [name, ...others] = args ?? [];
  if (textOf(steps) !== 'header' || name?.kind !== 'string' || others.length > 0)
    return context.report('incomplete-request-value', span, { word: REQUEST });
  if (!isHeaderName(name.value)) return context.report('bad-header-name', name.span, { name: name.value });
  return { kind: 'request', from: 'header', path: [name.value.toLowerCase()] };
}

function claimOf(context: Context, { steps, arguments: args, span }: ast.RequestPath): RequestRoot | undefined {
  if (!context.authModel) {
    context.asksForAuth?.push({ word: CLAIMS, span });
    return undefined;
  }
  if (!context.trustsProvider) return context.report('claims-without-subject', span, {});
  if (steps.length === 0 || args) return context.report('incomplete-request-value', span, { word: CLAIMS });
  return { kind: 'request', from: 'claim', path: steps.map(({ text }) => text) };
}
