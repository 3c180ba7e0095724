/** Where the tables of an application are, and what connections must not leave to the settings of their role. */
import type pg from 'pg';
import { COMPATIBILITY_SCHEMAS, compatibilitySchemaIn } from '../../compiler/definition/migration.ts';
import type { ImageRelease } from './image-release.ts';

/** All that results depend on. The first value is the one that is set; the others are as good. */
const NEEDED: Readonly<Record<string, readonly [string, ...string[]]>> = {
  TimeZone: ['UTC'],
  DateStyle: ['ISO, MDY'],
  IntervalStyle: ['postgres'],
  bytea_output: ['hex'],
  extra_float_digits: ['1', '2', '3'],
  standard_conforming_strings: ['on'],
  quote_all_identifiers: ['off'],
  transform_null_equals: ['off'],
  array_nulls: ['on'],
  row_security: ['on'],
  gin_fuzzy_search_limit: ['0'],
  default_transaction_isolation: ['read committed'],
};

/** Their values on a connection, as SQL. */
export const SETTINGS_SQL = `ARRAY[${Object.keys(NEEDED)
  .map((name) => `current_setting('${name}')`)
  .join(', ')}]`;

/** Those that must be set, where these are the values that `SETTINGS_SQL` has found. */
export function settingsToCorrect(found: readonly string[]): Readonly<Record<string, string>> {
  const wrong = Object.entries(NEEDED).filter(([, values], at) => !values.includes(found[at] ?? ''));
  return Object.fromEntries(wrong.map(([name, [value]]) => [name, value]));
}

export interface ApplicationSchemas {
  /** That the tables are in. Null where no schema of the search path exists, or the role may use none of them. */
  readonly schema: string | null;
  /** The same as SQL has it. */
  readonly quoted: string;
  /** All of the search path. */
  readonly path: string;
  /** What the role, the database or the address says. */
  readonly given: string;
  /** By `settingsToCorrect`. */
  readonly settings: Readonly<Record<string, string>>;
}

const GIVEN = `
  SELECT pg_catalog.current_setting('search_path') AS given, pg_catalog.current_schemas(false)::pg_catalog.text[] AS schemas`;

interface GivenRow {
  readonly given: string;
  readonly schemas: readonly string[];
}

/**
 * Compatibility schemas are put in front of these. Every role that may create schemas can make the one that `"$user"`
 * means, so it counts only if the role itself, the owner of the database or a superuser owns it.
 */
const TRUSTED = `
  SELECT coalesce(json_agg(json_build_object('name', name, 'quoted', quote_ident(name)) ORDER BY place), '[]') AS trusted,
    ${SETTINGS_SQL} AS settings
  FROM unnest($1::text[]) WITH ORDINALITY AS listed(name, place)
    JOIN pg_namespace ON nspname = name JOIN pg_roles ON pg_roles.oid = nspowner
  WHERE name !~ '${COMPATIBILITY_SCHEMAS}' AND name !~ '^pg_'
    AND (name <> current_user OR strpos($2, '"$user"') = 0 OR rolname = current_user OR rolsuper
      OR nspowner = (SELECT datdba FROM pg_database WHERE datname = current_database()))`;

interface TrustedRow {
  readonly trusted: readonly { readonly name: string; readonly quoted: string }[];
  readonly settings: readonly string[];
}

/** Begins a transaction in which Postgres finds its own functions and operators, whatever the search path is. */
export async function applicationSchemas(client: pg.Client): Promise<ApplicationSchemas> {
  const begun: unknown = await client.query(`BEGIN; ${GIVEN}; SET LOCAL search_path = pg_catalog, pg_temp`);
  const [, { rows: asked }] = begun as [unknown, pg.QueryResult<GivenRow>];
  const [{ given, schemas }] = asked as [GivenRow];
  const { rows } = await client.query<TrustedRow>(TRUSTED, [schemas, given]);
  const [{ trusted, settings }] = rows as [TrustedRow];
  return {
    schema: trusted[0]?.name ?? null,
    quoted: trusted[0]?.quoted ?? '',
    path: searched(trusted.map(({ quoted }) => quoted)),
    given,
    settings: settingsToCorrect(settings),
  };
}

/** Postgres looks into pg_catalog first where it is not listed, and so it does into pg_temp, where everybody can make tables. */
function searched(schemas: readonly string[]): string {
  return [...schemas, 'pg_temp'].join(', ');
}

/** For the connections of a server. */
export function searchPathOf({ fingerprint }: ImageRelease, schema: string, path: string): string {
  return `${compatibilitySchemaIn(schema, fingerprint)}, ${path}`;
}

/** Makes the results of a plain connection independent of its role, as those of a server are. Gives the schema of the tables. */
export async function settleClient(client: pg.Client): Promise<string | null> {
  const { schema, path, settings } = await applicationSchemas(client);
  await setAll(client, { ...settings, ...(schema !== null && { search_path: path }) });
  await client.query('COMMIT');
  return schema;
}

/** Those that this Postgres knows. */
const SET = `
  SELECT set_config(wanted.name, wanted.value, false)
  FROM unnest($1::text[], $2::text[]) AS wanted(name, value) JOIN pg_settings ON pg_settings.name = wanted.name`;

export async function setAll(client: pg.Client, settings: Readonly<Record<string, string>>): Promise<void> {
  await client.query(SET, [Object.keys(settings), Object.values(settings)]);
}
