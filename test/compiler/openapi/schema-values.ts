/** Values from schemas: such as they allow, and such as they forbid. */
import fc from 'fast-check';
import type { Schema } from '../../../compiler/emit/openapi/document.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import type { Judge } from './validator.ts';

type Resolve = (ref: string) => Schema;

/** `judge` has the last word. */
export function valuesOf(schema: Schema, resolve: Resolve, judge: Judge): fc.Arbitrary<unknown> {
  const fits = judge(schema);
  return anyValueOf(schema, resolve).filter((value) => fits(value));
}

function anyValueOf(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const { $ref, anyOf, enum: values, type } = schema;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (values !== undefined) return fc.constantFrom(...values);
  if ($ref !== undefined) return anyValueOf(resolve($ref), resolve);
  if (type === undefined && anyOf !== undefined) return fc.oneof(...anyOf.map((each) => anyValueOf(each, resolve)));
  if (type === undefined) return JSON_VALUES;
  const types = typeof type === 'string' ? [type] : type;
  return fc.oneof(...types.map((each) => typedValue({ ...schema, type: each }, resolve)));
}

function typedValue(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.maxSafeInteger().map((value) => between(value, schema));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => between(value, schema));
    case 'array':
      return fc.array(anyValueOf(schema.items ?? {}, resolve), { maxLength: 4 });
    case 'object':
      return objectValue(schema, resolve);
    default:
      return textValue(schema);
  }
}

/** Half of them next to a limit. */
function between(value: number, { minimum = -Infinity, maximum = Infinity }: Schema): number {
  return Math.min(Math.max(value, minimum), maximum);
}

const JSON_VALUES = fc
  .jsonValue({ maxDepth: 3, stringUnit: ANY_CHARACTER })
  .filter((value) => !JSON.stringify(value).includes('u0000'));

function objectValue({ properties = {}, required = [] }: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const values = Object.entries(properties).map(([name, each]) => [name, anyValueOf(each, resolve)] as const);
  return fc.record(Object.fromEntries(values), { requiredKeys: [...required] }).map((value) => ({ ...value }));
}

function textValue({ format, pattern, minLength = 0, maxLength = 50 }: Schema): fc.Arbitrary<string> {
  const day = fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true });
  if (format === 'date') return day.map((date) => date.toISOString().slice(0, 10));
  if (format === 'date-time') return fc.tuple(day, fc.constantFrom('Z', '+00:00', '-15:59', '+05:30')).map(momentText);
  if (format === 'uuid') return fc.uuid();
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'));
  const longest = Math.min(maxLength, minLength + 50);
  return anyText(minLength, longest);
}

const anyTexts = new Map<string, fc.Arbitrary<string>>();

/** Made once for each pair of lengths. */
function anyText(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const key = `${minLength} ${maxLength}`;
  const known = anyTexts.get(key);
  const made = known ?? fc.string({ unit: ANY_CHARACTER, minLength, maxLength }).filter((text) => !text.includes('\0'));
  anyTexts.set(key, made);
  return made;
}

function momentText([date, zone]: [Date, string]): string {
  return date.toISOString().slice(0, -1) + zone;
}

// ── What is forbidden ───────────────────────────────────────────────────────────────────────────────────────────────

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  '',
  'x',
  'Ä b!',
  '1e5',
  'x'.repeat(20_001),
  [],
  {},
];

export function forbiddenBy(schema: Schema, judge: Judge): readonly unknown[] {
  const fits = judge(schema);
  return ODD_VALUES.filter((value) => !fits(value));
}

const ODD_TEXTS = ['', 'x', '-1', '0', '1.5', '101', '1e3', '1000000', '99999999999999999999', 'true', 'null', '[]'];

/** Of a parameter, where all is text. */
export function forbiddenTexts(schema: Schema, judge: Judge, resolve: Resolve): readonly string[] {
  const { type = 'string', anyOf } = schema.$ref === undefined ? schema : resolve(schema.$ref);
  // A filter is a value, several of them, or an object.
  const [value] = anyOf ?? [];
  if (value) return forbiddenTexts(value, judge, resolve);
  const fits = judge(schema);
  return ODD_TEXTS.filter((text) => !fits(valueOfText(text, type)));
}

function valueOfText(text: string, type: Schema['type']): unknown {
  if (type === 'array') return text === '' ? [] : text.split(',');
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  const isNumber = (type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?(e\d+)?$/.test(text);
  return isNumber ? Number(text) : text;
}
