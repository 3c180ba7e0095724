/** Types of the language as JSON Schema: values as they are answered, and as they may be sent. */
import type { HookResult, Type } from '../../definition/expression.ts';
import { isScalar, SCALARS } from '../../definition/scalars.ts';
import type { Schema } from './document.ts';

/** The component of an enum. */
export type EnumRef = (name: string) => Schema;

/** Integers are kept in 64 bits, but JSON passes no more than these on exactly. */
const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

const NO_NULL: Schema = { type: ['object', 'array', 'string', 'number', 'boolean'] };

/** A value that is answered. */
export function readSchema(type: Type, enumRef: EnumRef): Schema {
  const one = oneSchema(type, enumRef);
  const whole = type.many ? listOf(one) : one;
  return type.nullable ? orNull(whole) : whole;
}

/** What custom code gives, as it has declared it. */
export function resultSchema({ type, members }: HookResult, enumRef: EnumRef): Schema {
  if (!members) return readSchema(type, enumRef);
  const properties = members.map(({ name, doc, type: inner }) => [name, described(readSchema(inner, enumRef), doc)]);
  const object: Schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: members.map(({ name }) => name),
  };
  return type.nullable ? orNull(object) : object;
}

/** One value that a client sends, and that is not null. */
export function writeSchema(type: Type, enumRef: EnumRef): Schema {
  if (type.kind === 'json' && !type.nullable) return NO_NULL;
  const one = oneSchema(type, enumRef);
  return type.kind === 'integer' ? { ...one, ...SAFE } : one;
}

function oneSchema({ kind, enum: name }: Type, enumRef: EnumRef): Schema {
  if (kind === 'enum') return enumRef(name ?? '');
  if (isScalar(kind)) return SCALARS[kind].schema;
  return kind === 'record' ? { type: 'object' } : {};
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** The schema, or null. What is said of the value itself is not said of null. */
export function orNull(schema: Schema): Schema {
  if (Object.keys(schema).length === 0) return schema;
  const { type } = schema;
  if (typeof type === 'string' && !speaksOfNull(schema)) return { ...schema, type: [type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** Keywords that look at a value whatever its type is. */
function speaksOfNull({ enum: values, const: value, not, anyOf, allOf }: Schema): boolean {
  return [values, value, not, anyOf, allOf].some((keyword) => keyword !== undefined);
}

/** The schema with a description; one that it has already comes second. */
export function described(schema: Schema, ...texts: readonly (string | null | undefined)[]): Schema {
  const known = [...texts, schema.description].filter((text) => text !== null && text !== undefined && text !== '');
  return known.length === 0 ? schema : { ...schema, description: known.join('\n\n') };
}
