/** Literals take the type that is expected of them: `"draft"` is a value of an enum where an enum is asked for. */
import type * as ast from '../ast/ast.ts';
import { hasInexactNumbers } from '../definition/contract/exact-json.ts';
import { isScalar, SCALARS } from '../definition/scalars.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import type { Enum, Expression, Literal, MemberType, Type } from '../program/program.ts';
import { BOOLEAN, FLOAT, INTEGER, isMoment, many, NULL, nullable, STRING, scalar, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, checkText, notAmong, reported } from './context.ts';
import { narrowed, valueKey } from './narrowing.ts';
import type { Scope } from './scope.ts';

export function checkLiteral(context: Context, literal: ast.Literal, expected: Type | undefined): Expression {
  const { span } = literal;
  switch (literal.kind) {
    case 'null':
      return { kind: 'literal', value: null, type: NULL, span };
    case 'boolean':
      return { kind: 'literal', value: literal.value, type: BOOLEAN, span };
    case 'integer':
    case 'float':
      return numberLiteral(context, literal, expected, 1);
    case 'string':
      return stringLiteral(context, literal.value, span, expected);
  }
}

export function isLiteral(expression: ast.Expression): boolean {
  if (expression.kind === 'unary') return expression.operator === '-' && isLiteral(expression.operand);
  return LITERALS.has(expression.kind);
}

const LITERALS: ReadonlySet<ast.Expression['kind']> = new Set([
  'integer',
  'float',
  'string',
  'boolean',
  'null',
  'list',
]);

/** A number with its sign: exact text where a decimal is expected, so that no digit is lost. */
export function numberLiteral(
  context: Context,
  literal: WrittenNumber,
  expected: Type | undefined,
  sign: 1 | -1,
  span: Span = literal.span,
): Literal {
  const value = sign * literal.value;
  if (expected?.base.kind === 'decimal') {
    // A `numeric` of Postgres can hold no larger ones.
    const { whole, fraction } = digitsOf(literal.text);
    if (whole > 131_072 || fraction > 16_383) reportTooLarge(context, literal, span, 'decimal');
    return { kind: 'literal', value: `${sign < 0 ? '-' : ''}${literal.text}`, type: scalar('decimal'), span };
  }
  if (!Number.isFinite(value)) reportTooLarge(context, literal, span, 'float');
  else if (expected?.base.kind === 'json' && hasInexactNumbers(literal.text))
    reportTooLarge(context, literal, span, 'json');
  if (literal.kind === 'float' || expected?.base.kind === 'float') return { kind: 'literal', value, type: FLOAT, span };
  return { kind: 'literal', value, type: INTEGER, span };
}

type WrittenNumber = Extract<ast.Literal, { kind: 'integer' | 'float' }>;

function reportTooLarge(
  context: Context,
  { text }: WrittenNumber,
  span: Span,
  type: 'float' | 'decimal' | 'json',
): void {
  context.report('number-too-large', span, { type, ...digitsOf(text) });
}

function digitsOf(text: string): { readonly whole: number; readonly fraction: number } {
  const [whole = '', fraction = ''] = text.split('.');
  return { whole: whole.replace(/^0+/, '').length, fraction: fraction.length };
}

function stringLiteral(context: Context, value: string, span: Span, expected: Type | undefined): Literal {
  const base = expected?.base;
  if (base?.kind === 'enum') {
    checkEnumValue(context, value, span, base.enum);
    return { kind: 'literal', value, type: { base, nullable: false, many: false }, span };
  }
  const form = base && isScalar(base.kind) ? SCALARS[base.kind].form : undefined;
  if (!base || !form?.literal) {
    checkText({ value, span }, context.report);
    return { kind: 'literal', value, type: STRING, span };
  }
  const type: Type = { base, nullable: false, many: false };
  const fault = !form.literal.test(value) ? 'form' : isMoment(type) ? faultOfMoment(value) : undefined;
  if (fault) context.report('bad-literal', span, { value, type: base.kind, fault, example: form.example });
  return { kind: 'literal', value, type, span };
}

/** Postgres knows no year 0 and no offset beyond 15:59; beyond the year 9999 four digits do not suffice. */
function faultOfMoment(value: string): 'calendar' | 'offset' | 'year' | undefined {
  if (!isRealDay(value.slice(0, 10))) return 'calendar';
  if (/[+-](1[6-9]|[2-9]\d):\d\d$/.test(value)) return 'offset';
  const yearInUtc = new Date(value).getUTCFullYear();
  if (Number.isNaN(yearInUtc)) return 'calendar';
  return value.startsWith('0000') || yearInUtc < 1 || yearInUtc > 9999 ? 'year' : undefined;
}

/** JavaScript rolls the 31st of February over into March; a calendar does not. */
function isRealDay(day: string): boolean {
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

function checkEnumValue(context: Context, value: string, span: Span, type: Enum): void {
  const isKnown = type.values.some(({ name }) => name === value);
  const within = { ...span, start: span.start + 1, end: span.end - 1 };
  if (isKnown) context.witness?.meant(within, { kind: 'value', enum: type, value });
  if (type.values.length === 0 || isKnown) return;
  const near = nearName(value, type.values)?.name;
  const values = type.values.map(({ name }) => name);
  context.report('unknown-enum-value', span, { value, enum: type.name, values, near, declared: type.span });
}

// ── Objects ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// Objects and the members that are read from them: object literals, typed results and `json` values.

export function checkObject(
  context: Context,
  { members, span }: ast.ObjectOf,
  scope: Scope,
  expected: Type | undefined,
): Expression {
  const { noun, runs } = scope.position;
  if (runs === 'database') return context.report('object-not-here', span, { noun }) ?? reported(span);
  // The items of a `json` value may have different types, as in JSON.
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

/** Whether it has members that can be read by name and is not a record. */
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

function memberType(context: Context, { type }: Expression, name: ast.Name): Type | undefined {
  const { base } = type;
  if (base.kind === 'any') return type;
  const known = base.kind === 'object' ? base.members.get(name.text) : undefined;
  if (base.kind === 'object' && !known) {
    const candidates = [...base.members].map(([member, { span }]) => ({ name: member, span }));
    return context.report('unknown-key', name.span, notAmong(name, candidates));
  }
  const inner = known?.type ?? nullable(scalar('json'));
  if (!hasMembers(type)) return context.report('no-members', name.span, { name: name.text, type: typeName(type) });
  if (type.many && inner.many)
    return context.report('list-of-lists', name.span, { type: typeName(inner), member: name.text, of: 'objects' });
  const meaning = { kind: 'local', name: name.text, noun: 'member', type: inner } as const;
  if (known) context.witness?.meant(name.span, { ...meaning, declared: known.span });
  if (type.many) return many(type.nullItems ? nullable(inner) : inner);
  return type.nullable ? nullable(inner) : inner;
}
