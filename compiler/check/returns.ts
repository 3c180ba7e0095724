/** The result that a hook declares: a value, a list of values, or an object of them. */
import type * as ast from '../ast/ast.ts';
import type { MemberType, Type } from '../program/program.ts';
import { nullable } from '../program/type.ts';
import type { Context } from './context.ts';
import { fieldType } from './members.ts';

export function checkReturns(context: Context, returns: ast.Returns): Type {
  const { type } = returns;
  const name = { text: 'returns', span: returns.span };
  const result = type ? fieldType(context, { name, type }, name.text, 'result') : objectType(context, returns);
  return returns.nullable ? nullable(result) : result;
}

function objectType(context: Context, { members, span }: ast.Returns): Type {
  if (members.length === 0) context.report('empty-result', span, {});
  const types = new Map<string, MemberType>();
  for (const { name, type: written, nullable: isNullable, doc } of members) {
    const type = fieldType(context, { name, type: written }, name.text, 'result');
    const first = types.get(name.text)?.span;
    context.witness?.meant(name.span, { kind: 'local', name: name.text, noun: 'member', type, declared: name.span });
    if (first) context.report('duplicate-key', name.span, { name: name.text, first });
    else types.set(name.text, { type: isNullable ? nullable(type) : type, span: name.span, doc });
  }
  return { base: { kind: 'object', members: types }, nullable: false, many: false };
}
