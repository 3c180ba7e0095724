/** Types of a definition as TypeScript writes them. Values reach a hook in the form that they have in JSON. */
import type { Enum } from '../../compiler/definition/definition.ts';
import type {
  Expression,
  HookArgument,
  HookResult,
  ObjectOf,
  Selected,
  Type,
} from '../../compiler/definition/expression.ts';
import { isScalar, SCALARS, type Scalar } from '../../compiler/definition/scalars.ts';
import { type Selections, selectionKey } from './source-hooks.ts';

interface Known {
  readonly enums: readonly Enum[];
  readonly selections: Selections;
}

export function argumentText(argument: HookArgument, known: Known, indent: string): string {
  if (argument.kind === 'value') return expressionText(argument.value, known, indent);
  const { query, select } = argument;
  if (query.cardinality === 'count') return 'number';
  return wrapped(objectText(select, known, indent), {
    many: query.cardinality === 'many',
    nullable: query.cardinality === 'first',
  });
}

/** A property with its documentation, on lines of its own. A `?` behind its name makes it optional. */
export function propertyText(name: string, doc: string | null, type: string, indent: string): string {
  return `${docText(doc, indent)}${indent}readonly ${isIdentifier(name) ? name : JSON.stringify(name)}: ${type};\n`;
}

function docText(doc: string | null, indent: string): string {
  if (doc === null) return '';
  const lines = doc.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */\n`].join('\n');
}

function objectText(select: readonly Selected[], known: Known, indent: string): string {
  return blockText(select, indent, (selected, inner) => selectedText(selected, known, inner));
}

function selectedText(selected: Selected, known: Known, indent: string): string {
  switch (selected.kind) {
    case 'value':
      return expressionText(selected.value, known, indent);
    case 'records':
      return wrapped(objectText(selected.select, known, indent), selected);
    case 'hook':
      return 'unknown';
  }
}

function expressionText(expression: Expression, known: Known, indent: string): string {
  const { type } = expression;
  const selected =
    expression.kind === 'snapshot' && known.selections.get(selectionKey(expression.record, expression.read));
  const isResult = selected && 'type' in selected;
  const returns = expression.kind === 'hook' ? expression.hook.returns : isResult && selected;
  if (returns) return resultText(returns, known.enums, indent);
  if (expression.kind === 'object') return literalText(expression.members, known, indent);
  if (type.kind !== 'record') return typeText(type, known.enums);
  return wrapped(selected && !isResult ? objectText(selected, known, indent) : RECORD, type);
}

function literalText(members: ObjectOf['members'], known: Known, indent: string): string {
  return blockText(members, indent, ({ value }, inner) => expressionText(value, known, inner));
}

interface Named {
  readonly name: string;
  readonly doc: string | null;
}

function blockText<T extends Named>(all: readonly T[], indent: string, textOf: (one: T, inner: string) => string) {
  const inner = `${indent}  `;
  const properties = all.map((one) => propertyText(one.name, one.doc, textOf(one, inner), inner));
  return properties.length === 0 ? '{}' : `{\n${properties.join('')}${indent}}`;
}

export function typeText(type: Type, enums: readonly Enum[]): string {
  const { nullable, ...one } = type;
  const text = wrapped(plainText(type, enums), one);
  return nullable && text !== 'unknown' ? `${text} | null` : text;
}

/** A declared result as others read it. */
function resultText({ type, members }: HookResult, enums: readonly Enum[], indent: string): string {
  if (!members) return typeText(type, enums);
  const object = blockText(members, indent, (member) => typeText(member.type, enums));
  return wrapped(object, { nullable: type.nullable ?? false });
}

/**
 * The type that code may return where a result is declared: more than JSON values have. A nullable member may be left
 * out.
 */
export function givenResultText({ type, members }: HookResult, enums: readonly Enum[]): string {
  if (!members) return givenText(type, enums);
  const properties = members.map(({ name, doc, type: member }) =>
    propertyText(member.nullable ? `${name}?` : name, doc, givenText(member, enums), '  '),
  );
  const object = `{\n${properties.join('')}}`;
  return type.nullable ? `${object} | null | undefined` : object;
}

const GIVEN: Partial<Record<Type['kind'], string>> = { decimal: 'string | number', timestamp: 'string | Date' };

function givenText(type: Type, enums: readonly Enum[]): string {
  const { nullable, many } = type;
  const one = GIVEN[type.kind] ?? plainText(type, enums);
  const text = many ? `readonly (${one})[]` : one;
  return nullable ? `${text} | null | undefined` : text;
}

function plainText(type: Type, enums: readonly Enum[]): string {
  if (type.kind === 'file') return 'StoredFile';
  if (isScalar(type.kind)) return scalarText(SCALARS[type.kind].schema);
  if (type.kind !== 'enum') return type.kind === 'any' ? 'unknown' : RECORD;
  const values = enums.find(({ name }) => name === type.enum)?.values ?? [];
  return values.map(({ name }) => `'${name}'`).join(' | ');
}

const IN_TYPESCRIPT = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean' } as const;

const RECORD = 'Readonly<Record<string, Json>>';

function scalarText({ type }: (typeof SCALARS)[Scalar]['schema']): string {
  return type === undefined ? 'Json' : IN_TYPESCRIPT[type];
}

/** Wraps a type. In a list, either kind of null is one of its items. */
export function wrapped(
  text: string,
  { many, nullable, nullItems }: Partial<Readonly<Record<'many' | 'nullable' | 'nullItems', boolean>>>,
): string {
  const item = (nullable || nullItems) && text !== 'unknown' ? `${text} | null` : text;
  if (!many) return item;
  const isUnion = item !== text || item.startsWith("'");
  return isUnion ? `readonly (${item})[]` : `readonly ${item}[]`;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*\??$/.test(name);
}
