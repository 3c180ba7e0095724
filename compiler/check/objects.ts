/** Objects, and what is read of them: of those that are written, of typed results, and of `json` values. */
import type * as ast from '../ast/ast.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import type { Expression, MemberType, Type } from '../program/program.ts';
import { many, nullable, scalar, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { narrowed, valueKey } from './narrowing.ts';
import { reported } from './reported.ts';
import type { Scope } from './scope.ts';
import { checkText } from './texts.ts';

export function checkObject(
  context: Context,
  { members, span }: ast.ObjectOf,
  scope: Scope,
  expected: Type | undefined,
): Expression {
  const { noun, runs } = scope.position;
  if (runs === 'database') {
    context.report('object-not-here', span, { noun });
    return reported(span);
  }
  // What goes into a `json` value may be mixed as JSON is.
  const wanted = expected?.base.kind === 'json' ? expected : undefined;
  const types = new Map<string, MemberType>();
  const checked = members.map(({ name, doc, value: written }) => {
    const value = context.checkExpression(context, written, scope, wanted);
    const first = types.get(name.text)?.span;
    checkText({ value: name.text, span: name.span }, context.report);
    if (first) context.report('duplicate-key', name.span, { name: name.text, first });
    else types.set(name.text, { type: value.type, span: name.span });
    return { name: name.text, doc, value };
  });
  const type: Type = { base: { kind: 'object', members: types }, nullable: false, many: false };
  return { kind: 'object', members: checked, type, span };
}

/** Whether something can be read of it by a name, other than of a record. */
export function hasMembers({ base }: Type): boolean {
  return base.kind === 'object' || base.kind === 'json';
}

/** `value.a.b`, where `value` is no record. */
export function checkMembers(
  context: Context,
  value: Expression,
  names: readonly ast.Name[],
  span: Span,
  scope: Scope,
): Expression {
  let of = value;
  for (const name of names) {
    const inner = memberType(context, of, name);
    if (!inner) return reported(span);
    const member: Expression = { kind: 'member', of, name: name.text, type: inner, span };
    of = { ...member, type: narrowed(inner, valueKey(member), scope) };
  }
  return of;
}

function memberType(context: Context, { type, kind }: Expression, name: ast.Name): Type | undefined {
  const { base } = type;
  if (base.kind === 'any') return type;
  const known = base.kind === 'object' ? base.members.get(name.text) : undefined;
  if (base.kind === 'object' && !known) {
    const candidates = [...base.members].map(([member, { span }]) => ({ name: member, span }));
    return context.report('unknown-key', name.span, {
      name: name.text,
      near: nearName(name.text, candidates),
      others: candidates.map((candidate) => candidate.name),
    });
  }
  const inner = known?.type ?? nullable(scalar('json'));
  const isListOfLists = type.many && inner.many;
  if (!hasMembers(type) || isListOfLists) {
    const found = isListOfLists && kind === 'member' ? 'a list of lists' : typeName(type);
    return context.report('no-members', name.span, {
      name: name.text,
      type: found,
      isFunction: false,
      whole: undefined,
    });
  }
  if (known)
    context.witness?.meant(name.span, {
      kind: 'local',
      name: name.text,
      noun: 'member',
      type: inner,
      declared: known.span,
    });
  if (type.many) return many(inner);
  return type.nullable ? nullable(inner) : inner;
}
