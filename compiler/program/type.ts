import { hasTrait } from '../definition/scalars.ts';
import type { Base, Expression, Member, Model, Root, Scalar, Type } from './program.ts';

export const scalar = (kind: Scalar): Type => ({ base: { kind }, nullable: false, many: false });

export const record = (model: Model, nullable = false): Type => ({
  base: { kind: 'record', model },
  nullable,
  many: false,
});
export const STRING = scalar('string');
export const INTEGER = scalar('integer');
export const FLOAT = scalar('float');
export const BOOLEAN = scalar('boolean');
export const ANY: Type = { base: { kind: 'any' }, nullable: false, many: false };
export const NULL: Type = { base: { kind: 'null' }, nullable: true, many: false };

export const nullable = (type: Type): Type => (type.nullable ? type : { ...type, nullable: true });
export const nonNull = (type: Type): Type => (type.nullable ? { ...type, nullable: false } : type);
/** Many such values: a null is one of them. */
export const many = ({ base, nullable: isNullable }: Type): Type => ({
  base,
  nullable: false,
  many: true,
  ...(isNullable && { nullItems: true }),
});
/** The type without a number of digits: results computed from such values may have more. */
export const unsized = (type: Type): Type =>
  'digits' in type.base ? { ...type, base: { kind: type.base.kind } } : type;
/** One value of a collection. */
export const item = (type: Type): Type => ({ ...type, many: false });

export function isAny(type: Type): boolean {
  return type.base.kind === 'any';
}

/** The type of a member as seen from one record. One that could not be read has been reported. */
export function typeOfMember(member: Member): Type {
  switch (member.kind) {
    case 'field':
      return member.type;
    case 'reference':
      return record(member.to, member.nullable);
    case 'relation':
      return member.through.unique ? record(member.from, true) : many(record(member.from));
    case 'computed':
      return member.value?.type ?? ANY;
    case 'query': {
      if (!member.query) return ANY;
      const { cardinality, model } = member.query;
      if (cardinality === 'count') return INTEGER;
      return cardinality === 'many' ? many(record(model)) : record(model, cardinality === 'first');
    }
    case 'hook':
      return member.call?.returns ?? ANY;
  }
}

export function sameBase(a: Base, b: Base): boolean {
  if (a.kind === 'enum') return b.kind === 'enum' && a.enum === b.enum;
  if (a.kind === 'record') return b.kind === 'record' && a.model === b.model;
  if (a.kind === 'object') return b.kind === 'object' && sameMembers(a.members, b.members);
  return a.kind === b.kind;
}

type Members = Extract<Base, { kind: 'object' }>['members'];

function sameMembers(a: Members, b: Members): boolean {
  return a.size === b.size && [...a].every(([name, { type }]) => sameMember(type, b.get(name)?.type));
}

function sameMember(a: Type, b: Type | undefined): boolean {
  return b !== undefined && a.many === b.many && a.nullable === b.nullable && sameBase(a.base, b.base);
}

/** Whether it is a record, or an object with one in it. */
export function holdsRecord({ base }: Type): boolean {
  if (base.kind === 'object') return [...base.members.values()].some(({ type }) => holdsRecord(type));
  return base.kind === 'record';
}

/** The type in words: `a string`, `an integer or null`, `a list of strings`, ``a collection of `Post` ``. */
export function typeName(type: Type): string {
  const name = type.many ? manyName(type.base) : oneName(type.base);
  return type.nullable && type.base.kind !== 'null' ? `${name} or null` : name;
}

function oneName(base: Base): string {
  switch (base.kind) {
    case 'enum':
      return withArticle(base.enum.name);
    case 'record':
      return withArticle(base.model.name);
    case 'null':
    case 'json':
      return base.kind;
    case 'any':
      return 'anything';
    case 'integer':
    case 'object':
      return `an ${base.kind}`;
    default:
      return `a ${base.kind}`;
  }
}

function withArticle(name: string): string {
  return `${/^[aeio]/i.test(name) ? 'an' : 'a'} \`${name}\``;
}

function manyName(base: Base): string {
  if (base.kind === 'record') return `a collection of \`${base.model.name}\``;
  if (base.kind === 'enum') return `a list of \`${base.enum.name}\``;
  const isUncounted = base.kind === 'json' || base.kind === 'null' || base.kind === 'any';
  return `a list of ${isUncounted ? base.kind : `${base.kind}s`}`;
}

// ── What can be done with the values of a type ──────────────────────────────────────────────────────────────────────

/** Whether the type has a trait. A value of custom code can be anything. */
const has = (trait: Parameters<typeof hasTrait>[1], { base }: Type) =>
  base.kind === 'any' || hasTrait(base.kind, trait);

export const isNumber = (type: Type): boolean => has('number', type);
export const isMoment = ({ base }: Type): boolean => base.kind === 'date' || base.kind === 'timestamp';
export const isOrdered = (type: Type): boolean => has('ordered', type);
export const isSortable = (type: Type): boolean => !type.many && (type.base.kind === 'enum' || has('sortable', type));
export const isJoinable = (type: Type): boolean => !type.many && has('joinable', type);

/** Whether it is one value that is a list, as opposed to the values of many records. */
export function isListValue(expression: Expression): boolean {
  if (!expression.type.many || expression.type.base.kind === 'record') return false;
  if (expression.kind === 'member') return !expression.of.type.many;
  if (expression.kind !== 'path') return true;
  const { root, steps } = expression;
  const last = steps.at(-1);
  if (last) return last.kind === 'field' && last.type.many;
  return root.kind === 'input' || root.kind === 'argument';
}

/** Whether the root is the authenticated record, or its token. */
export function isOfCaller(root: Root): boolean {
  return root.kind === 'auth' || (root.kind === 'request' && root.from === 'claim');
}
