/** One row for each type that a field can have: all that is a fact and no code. A new type is a new row. */

/** The types of columns, and what the catalog of Postgres calls them, which is not always what a statement calls them. */
export const CATALOG_NAMES = {
  text: 'text',
  bigint: 'bigint',
  'double precision': 'double precision',
  boolean: 'boolean',
  numeric: 'numeric',
  timestamptz: 'timestamp with time zone',
  date: 'date',
  uuid: 'uuid',
  jsonb: 'jsonb',
  bytea: 'bytea',
} satisfies Readonly<Record<string, string>>;

export type Scalar =
  | 'string'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'decimal'
  | 'timestamp'
  | 'date'
  | 'uuid'
  | 'json'
  | 'file';

interface ScalarFacts {
  readonly column: keyof typeof CATALOG_NAMES;
  readonly traits: readonly Trait[];
  /** The types that can take over its values without a loss. See `compiler/change/comparison.ts`. */
  readonly widerTypes: readonly Scalar[];
  /** Its JSON Schema. */
  readonly schema: {
    readonly type?: 'string' | 'integer' | 'number' | 'boolean';
    readonly format?: string;
    readonly pattern?: string;
  };
  /** The description for editors. */
  readonly doc: string;
  /** The names of the type in other languages. */
  readonly otherNames: readonly string[];
  /** The text form, for a type whose values are texts of a certain form in JSON. */
  readonly form?: TextForm;
}

/**
 * `number` takes part in `+ - * / %`, `sum` and `avg`; `ordered` in `< <= > >=`, `min` and `max`. `order by` takes what is
 * `sortable`; `+` and `concat` join what is `joinable` to a text.
 */
type Trait = 'number' | 'ordered' | 'sortable' | 'joinable';

interface TextForm {
  readonly example: string;
  /** The name of the type in generated clients, and what it says there. */
  readonly client: { readonly name: string; readonly doc: string };
  /** The form of a literal text of this type. Absent if a text is not a literal of it. */
  readonly literal?: RegExp;
  /** Writes each value as one text, if a program can write it in several ways. */
  readonly canonical?: (literal: string) => string;
}

export const SCALARS: Readonly<Record<Scalar, ScalarFacts>> = {
  string: {
    column: 'text',
    traits: ['ordered', 'sortable', 'joinable'],
    widerTypes: ['json'],
    schema: { type: 'string' },
    doc: 'A text.',
    otherNames: ['str', 'text', 'varchar', 'char'],
  },
  integer: {
    column: 'bigint',
    traits: ['number', 'ordered', 'sortable', 'joinable'],
    widerTypes: ['float', 'decimal', 'string', 'json'],
    schema: { type: 'integer', format: 'int64' },
    doc: 'A whole number.',
    otherNames: ['int', 'bigint', 'number', 'long', 'serial'],
  },
  float: {
    column: 'double precision',
    traits: ['number', 'ordered', 'sortable', 'joinable'],
    widerTypes: ['string', 'json'],
    schema: { type: 'number', format: 'double' },
    doc: 'A floating-point number.',
    otherNames: ['double', 'real'],
  },
  boolean: {
    column: 'boolean',
    traits: ['sortable', 'joinable'],
    widerTypes: ['string', 'json'],
    schema: { type: 'boolean' },
    doc: '`true` or `false`.',
    otherNames: ['bool'],
  },
  decimal: {
    column: 'numeric',
    traits: ['number', 'ordered', 'sortable'],
    widerTypes: ['string', 'json'],
    schema: { type: 'string', format: 'decimal', pattern: '^-?[0-9]+(\\.[0-9]+)?$' },
    doc: 'An exact number, such as an amount of money. It is a string in JSON.',
    otherNames: ['numeric', 'money'],
    form: {
      example: '12.50',
      client: { name: 'Decimal', doc: 'An exact number as a string, such as "12.50", so that no digit is lost.' },
    },
  },
  timestamp: {
    column: 'timestamptz',
    traits: ['ordered', 'sortable', 'joinable'],
    widerTypes: ['string', 'json'],
    schema: { type: 'string', format: 'date-time' },
    doc: 'A point in time, such as `"2026-03-29T12:30:00Z"`.',
    otherNames: ['datetime', 'timestamptz', 'time'],
    form: {
      example: '2026-03-29T12:30:00Z',
      client: { name: 'Timestamp', doc: 'A point in time, such as "2026-01-31T12:00:00Z".' },
      literal: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})$/,
      canonical: inUtc,
    },
  },
  date: {
    column: 'date',
    traits: ['ordered', 'sortable', 'joinable'],
    widerTypes: ['timestamp', 'string', 'json'],
    schema: { type: 'string', format: 'date' },
    doc: 'A day, such as `"2026-03-29"`.',
    otherNames: [],
    form: {
      example: '2026-03-29',
      client: { name: 'DateOnly', doc: 'A day, such as "2026-01-31".' },
      literal: /^\d{4}-\d{2}-\d{2}$/,
    },
  },
  uuid: {
    column: 'uuid',
    traits: ['sortable', 'joinable'],
    widerTypes: ['string', 'json'],
    schema: { type: 'string', format: 'uuid' },
    doc: 'A UUID.',
    otherNames: ['guid'],
    form: {
      example: '0195e0a4-7c00-7abc-8def-0123456789ab',
      client: { name: 'Uuid', doc: 'Such as "0190a5d2-7c2e-7b3a-9f10-5b8f0c1d2e3f".' },
      literal: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
      canonical: (literal) => literal.toLowerCase(),
    },
  },
  json: {
    column: 'jsonb',
    traits: [],
    widerTypes: [],
    schema: {},
    doc: 'Any JSON.',
    otherNames: ['jsonb', 'object'],
  },
  file: {
    column: 'jsonb',
    traits: [],
    widerTypes: [],
    schema: {},
    doc: 'A file that clients upload. Its bytes are in the store; the record has its name, type and size.',
    otherNames: ['blob', 'binary', 'image', 'attachment', 'upload'],
  },
};

export const SCALAR_NAMES = Object.keys(SCALARS) as readonly Scalar[];

export function isScalar(name: string): name is Scalar {
  return Object.hasOwn(SCALARS, name);
}

export function hasTrait(kind: string, trait: Trait): boolean {
  return isScalar(kind) && SCALARS[kind].traits.includes(trait);
}

/** Tells whether the type is a text in JSON. Postgres writes the others as JSON by itself. */
export function isTextInJson(kind: string): boolean {
  return !isScalar(kind) || SCALARS[kind].schema.type === 'string';
}

const BY_OTHER_NAME: ReadonlyMap<string, Scalar> = new Map(
  SCALAR_NAMES.flatMap((name) => [name, ...SCALARS[name].otherNames].map((other) => [other, name] as const)),
);

/** The type that an author means who is used to another language. */
export function scalarMeantBy(name: string): Scalar | undefined {
  return BY_OTHER_NAME.get(name.toLowerCase());
}

/** The texts of certain forms, by their `format` in JSON Schema. */
export const TEXT_FORMS: ReadonlyMap<string, TextForm> = new Map(
  Object.values(SCALARS).flatMap(({ schema, form }) => (form && schema.format ? [[schema.format, form]] : [])),
);

function inUtc(timestamp: string): string {
  const fraction = /\.\d+/.exec(timestamp)?.[0] ?? '';
  const moment = new Date(timestamp.replace(fraction, '')).toISOString();
  return moment.replace('.000Z', `${fraction.replace(/\.?0+$/, '')}Z`);
}
