/** Describes a JSON Schema in words for readers. */
import { decimalText, digitsOfPattern } from '../../compiler/definition/digits.ts';
import type { OpenApiDocument, Schema } from '../../compiler/emit/openapi/document.ts';

/** The schema that a reference names, with the description that is beside the reference. */
export function resolved(schema: Schema, { components }: OpenApiDocument): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  const named = components.schemas[$ref.split('/').at(-1) ?? ''] ?? {};
  return { ...resolved(named, { components } as OpenApiDocument), ...beside };
}

export type PlainType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'any';

export function isNullable({ type, enum: values }: Schema): boolean {
  return (Array.isArray(type) && type.includes('null')) || values?.includes(null) === true;
}

export function plainType({ type, properties, items, enum: values }: Schema): PlainType {
  const [first] = (Array.isArray(type) ? type : [type]).filter((each) => each !== 'null');
  if (first !== undefined) return first as PlainType;
  if (properties) return 'object';
  if (items) return 'array';
  return typeof values?.find((value) => value !== null) === 'string' ? 'string' : 'any';
}

/** Formats that say more than the type itself. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'timestamp',
  date: 'date',
  email: 'email',
  uuid: 'uuid',
  uri: 'URL',
  decimal: 'decimal',
  double: 'float',
  password: 'password',
  cursor: 'cursor',
};

/** `string`, `timestamp`, `array of Post`. */
export function typeLabel(schema: Schema, document: OpenApiDocument): string {
  const known = resolved(schema, document);
  const type = plainType(known);
  if (type === 'array') return `array of ${known.items ? typeLabel(known.items, document) : 'JSON'}`;
  if (known.enum) return 'enum';
  if (known['x-kiln-upload']) return 'file';
  if (type === 'object') return schema.$ref?.split('/').at(-1) ?? 'object';
  if (type === 'any' && known.anyOf?.[0]) return typeLabel(known.anyOf[0], document);
  const digits = digitsOfPattern(known.pattern);
  if (digits) return decimalText(digits);
  return type === 'any' ? 'JSON' : (FORMATS[known.format ?? ''] ?? type);
}

export function enumValues(schema: Schema): readonly string[] {
  return (schema.enum ?? []).filter((value) => value !== null).map(String);
}

/** The largest limit that is shown. Nobody reaches a larger one. */
const LARGEST = 1_000_000_000_000;

/** The constraints of a value beyond its type, in a few words each. */
export function constraintsOf(schema: Schema): readonly string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, uniqueItems, not } = schema;
  return [
    rangeText(minLength, maxLength, 'characters'),
    rangeText(withinReach(minimum), withinReach(maximum), ''),
    rangeText(minItems, maxItems, 'items'),
    uniqueItems ? 'no item twice' : '',
    not?.enum ? `not ${not.enum.map((value) => JSON.stringify(value)).join(', ')}` : '',
  ].filter((text) => text !== '');
}

function withinReach(limit: number | undefined): number | undefined {
  return limit === undefined || Math.abs(limit) >= LARGEST ? undefined : limit;
}

function rangeText(least: number | undefined, most: number | undefined, what: string): string {
  const unit = what === '' ? '' : ` ${what}`;
  if (least === 1 && most === undefined && what !== '') return 'not empty';
  if (least !== undefined && most !== undefined)
    return least === most ? `${least}${unit}` : `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? '' : `at most ${most}${unit}`;
}

/** The pattern; undefined if a format already says it. */
export function patternOf({ pattern, format }: Schema): string | undefined {
  return format === undefined ? pattern : undefined;
}

export interface SchemaField {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The fields of an object, or of the objects in a list; empty for anything else. */
export function fieldsOf(schema: Schema, document: OpenApiDocument): readonly SchemaField[] {
  const known = resolved(schema, document);
  if (known.items) return fieldsOf(known.items, document);
  const parts = [known, ...(known.allOf ?? []).map((part) => resolved(part, document))];
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  return parts.flatMap(({ properties = {} }) =>
    Object.entries(properties).map(([name, each]) => ({ name, schema: each, isRequired: required.has(name) })),
  );
}

/** A field of a model that a value of the input is found by. */
export interface Named {
  readonly model: string;
  readonly field: string;
}

/** The document says it in words: "The `slug` of `Post`.", and of an input "The `slug` of an existing `Post`." */
export function namedBy(description: string | undefined): Named | null {
  const [, field, model] = /\bThe `([\w-]+)` of (?:an existing )?`(\w+)`\./.exec(description ?? '') ?? [];
  return field === undefined || model === undefined ? null : { model, field };
}
