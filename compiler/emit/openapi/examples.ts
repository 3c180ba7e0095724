/** An example for a schema: always the same one, and one that fits. */
import { TEXT_FORMS } from '../../definition/scalars.ts';
import type { Schema } from './document.ts';
import { wordsFrom } from './names.ts';

/** The schema behind a `$ref`. */
export type Resolve = (ref: string) => Schema;

interface Example {
  readonly value: unknown;
}

/** An example; null if none is known to fit. `name` is the name of the value, as a hint. */
export function exampleOf(schema: Schema, resolve: Resolve, name = 'text'): Example | null {
  const { $ref, anyOf, allOf, type, enum: values } = schema;
  if (schema.const !== undefined) return { value: schema.const };
  if (values !== undefined) return { value: values[0] };
  if ($ref !== undefined) return exampleOf(resolve($ref), resolve, name);
  const kind = typeof type === 'string' ? type : type?.[0];
  switch (kind) {
    case 'object':
      return objectExample(schema, resolve);
    case 'array':
      return { value: [exampleOf(schema.items ?? {}, resolve, name)].flatMap((item) => (item ? [item.value] : [])) };
    case 'string':
      return textExample(schema, name);
    case 'integer':
    case 'number':
      return numberExample(schema, kind === 'integer' ? 1 : 1.5);
    case 'boolean':
      return schema.not === undefined ? { value: true } : null;
    case 'null':
      return { value: null };
    case undefined:
      return unionExample(anyOf ?? allOf, resolve, name);
  }
}

function unionExample(options: readonly Schema[] | undefined, resolve: Resolve, name: string): Example | null {
  if (options === undefined) return { value: {} };
  return options.map((option) => exampleOf(option, resolve, name)).find((example) => example !== null) ?? null;
}

function objectExample({ properties = {}, required = [] }: Schema, resolve: Resolve): Example | null {
  const found = Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, resolve, name)] as const);
  if (found.some(([name, example]) => example === null && required.includes(name))) return null;
  // The id of an upload is made by the server: an example with one could not be sent.
  const isSent = (name: string) => required.includes(name) || !properties[name]?.['x-kiln-upload'];
  const values = found.flatMap(([name, example]) => (example && isSent(name) ? [[name, example.value] as const] : []));
  return { value: Object.fromEntries(values) };
}

function numberExample({ minimum = -Infinity, maximum = Infinity, allOf, anyOf, not }: Schema, usual: number) {
  if (allOf !== undefined || anyOf !== undefined || not !== undefined) return null;
  const value = Math.min(Math.max(usual, minimum), maximum);
  return value >= minimum ? { value } : null;
}

// ── Texts ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const BY_FORMAT: Readonly<Record<string, string>> = {
  email: 'anna@example.com',
  password: 'correct horse battery staple',
};

function textExample(schema: Schema, name: string): Example | null {
  const byFormat = TEXT_FORMS.get(schema.format ?? '')?.example ?? BY_FORMAT[schema.format ?? ''];
  const candidates =
    byFormat === undefined ? textsFor(name) : [byFormat, ...(schema.format === 'decimal' ? DECIMALS : [])];
  const value = candidates.map((text) => lengthened(text, schema)).find((text) => fits(text, schema));
  return value === undefined ? null : { value };
}

/** Decimals with any number of places. */
const DECIMALS = [12.5, 0.5].flatMap((number) => Array.from({ length: 40 }, (_, places) => number.toFixed(places)));

const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/e_?mail/i, 'anna@example.com'],
  [/slug/i, 'hello-world'],
  [/url|link|website/i, 'https://example.com/'],
  [/domain|host/i, 'example.com'],
  [/phone/i, '+49301234567'],
];

/** Texts in several forms, one of which fits most patterns. */
function textsFor(name: string): readonly string[] {
  const words = wordsFrom(name);
  const lower = words.toLowerCase();
  const letters = lower.replace(/[^a-z0-9]/g, '');
  const known = BY_NAME.filter(([form]) => form.test(name)).map(([, text]) => text);
  const forms = [words, lower, lower.replaceAll(' ', '-'), letters, letters.toUpperCase()];
  return [
    ...known,
    ...forms,
    'a',
    'A',
    '1',
    '12345',
    'AB-12',
    'a1',
    '+49301234567',
    'https://example.com/',
    'example.com',
    ...['image/png', 'video/mp4', 'audio/mpeg', 'text/plain', 'application/pdf'],
  ];
}

function lengthened(text: string, { minLength = 0, maxLength = Infinity }: Schema): string {
  return text.repeat(Math.max(1, Math.ceil(minLength / text.length))).slice(0, maxLength);
}

/** Whether an example fits. Examples are ASCII, so each character is one code point. */
function fits(text: string, schema: Schema): boolean {
  const { minLength = 0, maxLength = Infinity, pattern, enum: values, allOf, anyOf, not } = schema;
  if (text.length < minLength || text.length > maxLength) return false;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return false;
  if (values !== undefined && !values.includes(text)) return false;
  if (schema.const !== undefined && schema.const !== text) return false;
  if (allOf?.every((each) => fits(text, each)) === false) return false;
  if (anyOf?.some((each) => fits(text, each)) === false) return false;
  return not === undefined || !fits(text, not);
}
