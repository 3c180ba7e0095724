/**
 * The release of a database, and whether the image of another one works with it. The server and `migrate` decide by the
 * same rule. Reading it costs as much as a ping of the database.
 */

import type pg from 'pg';
import {
  COMPATIBILITY_SCHEMAS,
  compatibilitySchemaIn,
  type ReleaseChain,
  UNDO,
  withdrawnBy,
} from '../../compiler/definition/migration.ts';
import type { Database, Row, Statement } from './database.ts';

/** The images that work beside a release. */
interface Beside {
  /** The fingerprint of the previous release, whose images work too until the contraction begins. */
  readonly beside: string | null;
  /** Whether the contraction has begun: what the previous release needs may be gone. */
  readonly isContracted: boolean;
}

/** The newest release that is complete, and what has come after it. */
export interface DatabaseRelease extends ImageRelease, Beside {
  /** The number of steps of the contraction that are still to do. */
  readonly pendingSteps: number;
  /** The position of the release that a `migrate` has begun and not completed yet. */
  readonly underWay: number | null;
  /** The releases that were given up in this database since its tables are as they are, and the one that is being undone. */
  readonly withdrawn: readonly WithdrawnRelease[];
}

interface WithdrawnRelease {
  readonly revision: string;
  /** The revision of the release that gave it up; null while it is undone, when nothing says it yet. */
  readonly by: string | null;
}

/** How an image and a database go together. */
export type Standing =
  /** The tables are those of the image. */
  | 'same'
  /** A later release has changed the tables, and its views show them as this image knows them. */
  | 'beside'
  /** The same as `beside`, but what this image needs was removed. */
  | 'contracted'
  /** The database is several releases ahead. */
  | 'ahead'
  /** The release of the image was given up in this database. */
  | 'withdrawn'
  /** The image has a release that the database does not have yet. */
  | 'behind'
  /** Both have a release of this number, but not the same one. */
  | 'diverged';

export function standingOf(image: ImageRelease, database: DatabaseRelease): Standing {
  if (image.fingerprint === database.fingerprint) return 'same';
  if (withdrawalOf(image, database) !== undefined) return 'withdrawn';
  if (image.position > database.position) return 'behind';
  if (image.position === database.position) return 'diverged';
  if (image.fingerprint !== database.beside) return 'ahead';
  return database.isContracted || database.underWay !== null ? 'contracted' : 'beside';
}

export function withdrawalOf({ revision }: ImageRelease, { withdrawn }: DatabaseRelease): WithdrawnRelease | undefined {
  return withdrawn.find((each) => each.revision === revision);
}

/** A release of the ledger that is complete or was withdrawn. */
export interface LedgerRow extends ImageRelease, Beside {
  readonly checksum: string;
  readonly contractSteps: number;
  readonly contractDone: number;
}

/** The columns of `ledgerRowFrom`. */
export const LEDGER_COLUMNS =
  'position, revision, fingerprint, checksum, beside, contract_steps, contract_done, contracted_at';

export function ledgerRowFrom(row: Row): LedgerRow {
  const [position, revision, fingerprint, checksum, beside = null, steps, done, contractedAt = null] = row;
  return {
    position: Number(position),
    revision: String(revision),
    fingerprint: String(fingerprint),
    checksum: String(checksum),
    beside,
    contractSteps: Number(steps),
    contractDone: Number(done),
    isContracted: contractedAt !== null,
  };
}

/** Leaves out the withdrawn releases, which come after complete ones or between them. */
export function completeReleases(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  return rows.filter((row) => withdrawnBy(row) === undefined);
}

/**
 * Finds the release that decides for the newest of these releases, which are in order. A release that leaves the tables
 * as they are does not affect the images that worked before it, so the one that has made the tables decides.
 */
export function besideNewest(releases: readonly LedgerRow[]): LedgerRow | undefined {
  const newest = releases.at(-1);
  const others = releases.findLastIndex(({ fingerprint }) => fingerprint !== newest?.fingerprint);
  const run = releases.slice(others + 1);
  return run.findLast(({ contractSteps }) => contractSteps > 0) ?? run[0];
}

/** How often a server checks its database, whatever else it does, in milliseconds. */
export const LOOK_EVERY = 10_000;
/** The time without a check, in milliseconds, after which it checks before it sends anything else. */
export const LOOK_FIRST = 20_000;
/** The idle time of all its connections, in milliseconds, after which `migrate` takes a server for gone. */
export const PRESUMED_GONE = 30_000;

/** The facts that a server reads from its database with each new connection and then regularly, in one statement. */
export interface DatabaseView {
  /** Null where the database has no ledger of releases, or an empty one. */
  readonly release: DatabaseRelease | null;
  /** The search path of the connection. */
  readonly searchPath: string;
  /**
   * Whether the compatibility schema of the image belongs to the owner of the tables, and the ledger has the release that
   * it is for. Other roles may be able to create a schema of this name.
   */
  readonly hasOwnSchema: boolean;
  /** The revision that the ledger has for the number of the image's release; null where it has none. */
  readonly recorded: string | null;
  /** Why nothing can be written; null where it can. */
  readonly readOnly: 'standby' | 'setting' | null;
  /** The settings that `SETTINGS_SQL` selects. */
  readonly settings: readonly string[];
}

/** The database of a server of a release. */
export interface ReleaseDatabase extends Database {
  /** How the database is now. Null where it has no ledger of releases. */
  view(): Promise<DatabaseView | null>;
  /**
   * A position of the primary behind all that a request has written, or else read; null where it cannot be had. Only the
   * second costs a round trip.
   */
  position(hasWritten: boolean): Promise<string | null>;
  /** How many connections were lost. */
  readonly losses: number;
}

/** `schema` is quoted. */
export function viewStatement(schema: string): Statement {
  const [releases, progress] = [`${schema}.kiln_releases`, `${schema}.kiln_release_progress`];
  return {
    name: '',
    text: `SELECT (
        SELECT json_agg(json_build_array(${LEDGER_COLUMNS},
          (SELECT max(progress.position) FROM ${progress} AS progress WHERE progress.position > run.position),
          (SELECT progress.revision FROM ${progress} AS progress
            WHERE progress.position > run.position AND starts_with(progress.checksum, '${UNDO}') LIMIT 1)) ORDER BY position)
        FROM (SELECT releases.* FROM ${releases} AS releases, (SELECT fingerprint AS newest FROM ${releases} ORDER BY position DESC LIMIT 1) AS last
          WHERE position > coalesce((SELECT max(position) FROM ${releases} WHERE fingerprint <> newest), 0)) AS run),
      current_setting('search_path'),
      EXISTS (SELECT FROM pg_namespace JOIN pg_class ON relowner = nspowner
        WHERE nspname = $1 AND pg_class.oid = '${schema.replaceAll("'", "''")}.kiln_releases'::regclass
          AND EXISTS (SELECT FROM ${releases} WHERE fingerprint = $2)),
      (SELECT revision FROM ${releases} WHERE position = $3::integer),
      CASE WHEN pg_is_in_recovery() THEN 'standby' WHEN current_setting('transaction_read_only')::boolean THEN 'setting' END,
      to_json(${SETTINGS_SQL})`,
    isRepeatable: true,
  };
}

/** `schema` is that of the tables. */
export function viewValues({ fingerprint, position }: ImageRelease, schema: string): readonly string[] {
  return [compatibilitySchemaIn(schema, fingerprint), fingerprint, String(position)];
}

export function viewFromRow([run, searchPath, hasOwnSchema, recorded, readOnly, settings]: Row): DatabaseView {
  const rows = JSON.parse(run ?? '[]') as readonly (readonly unknown[])[];
  return {
    release: newestOf(rows.map((row) => row.map((value) => (value === null ? null : String(value))))),
    searchPath: String(searchPath),
    hasOwnSchema: hasOwnSchema === 't',
    recorded: recorded ?? null,
    readOnly: (readOnly ?? null) as DatabaseView['readOnly'],
    settings: JSON.parse(settings ?? '[]'),
  };
}

/** A withdrawn release has left the tables as they were, so its row is among those of the previous release. */
function newestOf(run: readonly Row[]): DatabaseRelease | null {
  const rows = run.map(ledgerRowFrom);
  const complete = completeReleases(rows);
  const [newest, deciding] = [complete.at(-1), besideNewest(complete)];
  if (!newest || !deciding) return null;
  const [underWay = null, undone = null] = (run[rows.indexOf(newest)] as Row).slice(LEDGER_COLUMNS.split(',').length);
  const given = rows.flatMap((row) => {
    const by = withdrawnBy(row);
    return by === undefined ? [] : [{ revision: row.revision, by }];
  });
  return {
    ...newest,
    beside: deciding.beside,
    isContracted: deciding.isContracted,
    pendingSteps: deciding.contractSteps - deciding.contractDone,
    underWay: underWay === null ? null : Number(underWay),
    withdrawn: [...given, ...(undone === null ? [] : [{ revision: undone, by: null }])],
  };
}

// ── Image release ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The release that a server serves. */
export interface ImageRelease {
  /** The position in its chain, from 1. */
  readonly position: number;
  readonly revision: string;
  /** The fingerprint of its schema. */
  readonly fingerprint: string;
}

/** The last release of a chain. */
export function imageReleaseOf({ releases }: Pick<ReleaseChain, 'releases'>): ImageRelease {
  const last = releases.at(-1);
  if (!last) throw new Error('a chain has at least one release');
  return { position: releases.length, revision: last.revision, fingerprint: last.fingerprint };
}

const SHORT = 12;

/** Shortens a revision for people. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{40,}$/.test(revision) ? revision.slice(0, SHORT) : revision;
}

const NAME = 'kiln';

/**
 * How the connections of a server are named, so that `migrate` can see which releases are still connected. `schema` is
 * that of the application.
 */
export function connectionName(release: ImageRelease | undefined, schema = 'public'): string {
  return release ? `${NAME} ${release.position} ${shortFingerprint(release.fingerprint, schema)}` : NAME;
}

interface ConnectedServer {
  /** Both are missing for a server that does not know its release. */
  readonly position: number | null;
  readonly shortFingerprint: string | null;
}

/** Parses the name of a connection; null where it is not that of a server. */
export function serverFromName(name: string): ConnectedServer | null {
  if (name === NAME) return { position: null, shortFingerprint: null };
  const [, position, fingerprint] = /^kiln (\d+) (\S+)$/.exec(name) ?? [];
  return fingerprint === undefined ? null : { position: Number(position), shortFingerprint: fingerprint };
}

/** Shortens a fingerprint as in the name of the compatibility schema. */
export function shortFingerprint(fingerprint: string, schema: string): string {
  return compatibilitySchemaIn(schema, fingerprint).replace(/^kiln_/, '');
}

// ── Application schema ────────────────────────────────────────────────────────────────────────────────────────────────

// The schema of an application's tables, and the settings that connections must not leave to their role.

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
const SETTINGS_SQL = `ARRAY[${Object.keys(NEEDED)
  .map((name) => `current_setting('${name}')`)
  .join(', ')}]`;

/** The settings to correct, given the values that `SETTINGS_SQL` has found. */
export function settingsToCorrect(found: readonly string[]): Readonly<Record<string, string>> {
  const wrong = Object.entries(NEEDED).filter(([, values], at) => !values.includes(found[at] ?? ''));
  return Object.fromEntries(wrong.map(([name, [value]]) => [name, value]));
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
export async function applicationSchemas(client: pg.Client) {
  const begun: unknown = await client.query(`BEGIN; ${GIVEN}; SET LOCAL search_path = pg_catalog, pg_temp`);
  const [, { rows: asked }] = begun as [unknown, pg.QueryResult<GivenRow>];
  const [{ given, schemas }] = asked as [GivenRow];
  const { rows } = await client.query<TrustedRow>(TRUSTED, [schemas, given]);
  const [{ trusted, settings }] = rows as [TrustedRow];
  return {
    /** The schema of the tables. Null where no schema of the search path exists, or the role may use none of them. */
    schema: trusted[0]?.name ?? null,
    /** The same as SQL has it. */
    quoted: trusted[0]?.quoted ?? '',
    /** All of the search path. Without it, Postgres would look into pg_temp first, where everybody can make tables. */
    path: [...trusted.map(({ quoted }) => quoted), 'pg_temp'].join(', '),
    /** The search path that the role, the database or the address sets. */
    given,
    /** The result of `settingsToCorrect`. */
    settings: settingsToCorrect(settings),
  };
}

/** The search path for the connections of a server. */
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

/** Sets the settings that this Postgres knows. */
const SET = `
  SELECT set_config(wanted.name, wanted.value, false)
  FROM unnest($1::text[], $2::text[]) AS wanted(name, value) JOIN pg_settings ON pg_settings.name = wanted.name`;

export async function setAll(client: pg.Client, settings: Readonly<Record<string, string>>): Promise<void> {
  await client.query(SET, [Object.keys(settings), Object.values(settings)]);
}
