/** The types of the language, as Postgres has them. */
export const COLUMN_TYPES = {
  string: 'text',
  integer: 'bigint',
  float: 'double precision',
  boolean: 'boolean',
  decimal: 'numeric',
  timestamp: 'timestamptz',
  date: 'date',
  uuid: 'uuid',
  json: 'jsonb',
} as const satisfies Readonly<Record<string, keyof typeof CATALOG_NAMES>>;

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
