/** The contents of a database, as far as an application is concerned. Nothing here changes it. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { WITHDRAWN } from '../../compiler/definition/migration.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { driftIn } from '../../runtime/migrate/drift.ts';
import { DatabaseRefusal, databaseName, withClient } from './connect.ts';

export function isEmptyDatabase(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')`,
    );
    return rows[0]?.count === '0';
  });
}

/** Throws where tables, columns, keys or indexes are missing or different. A contraction may be pending. */
export async function refuseMisfits(url: string, definition: Definition): Promise<void> {
  const { wrong } = await withClient(url, (client) => driftIn(client, schemaFromDefinition(definition), true));
  if (wrong.length === 0) return;
  const rest = wrong.length > MOST_SHOWN ? [`${wrong.length - MOST_SHOWN} more.`] : [];
  const { kind } = await provenanceOf(url);
  const sentence = `the database \`${databaseName(url).database}\` does not match the sources; ${kind === 'releases' ? BY_RELEASES : BY_SYNC}`;
  throw new DatabaseRefusal([sentence, ...wrong.slice(0, MOST_SHOWN), ...rest].join('\n  '));
}

const BY_SYNC = '`kiln start` creates the tables of an empty database, but does not migrate: `kiln db sync` does';
const BY_RELEASES =
  'releases bring this database up to date: `kiln build` makes a release of the sources, `kiln migrate` brings the database to it';

const MOST_SHOWN = 5;

// ── Provenance ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The origin of the contents of a database, which decides who may change them. */
type Provenance =
  | { readonly kind: 'empty' }
  /** Made by `kiln dev`, `kiln start` or `kiln db`. */
  | { readonly kind: 'development' }
  /** Made by `kiln migrate` or the `migrate` of an image. */
  | { readonly kind: 'releases'; readonly newest: NewestRelease | null }
  | { readonly kind: 'others' };

/** The last one that the database was brought to. */
export interface NewestRelease {
  readonly position: number;
  readonly revision: string;
  /** Whether it still keeps what only the previous release needs. */
  readonly isContractionPending: boolean;
}

/** Reads the provenance, and changes nothing. */
export function provenanceOf(url: string): Promise<Provenance> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Tables>(TABLES);
    const { tables, history, releases } = rows[0] as Tables;
    if (history) return { kind: 'development' };
    if (!releases) return { kind: tables === '0' ? 'empty' : 'others' };
    const { rows: newest } = await client.query<NewestRelease>(NEWEST);
    return { kind: 'releases', newest: newest[0] ?? null };
  });
}

interface Tables {
  readonly tables: string;
  readonly history: boolean;
  readonly releases: boolean;
}

/** The newest release that is complete and not withdrawn. */
const NEWEST = `
  SELECT position, revision, coalesce(contract_steps > contract_done, false) AS "isContractionPending"
  FROM kiln_releases WHERE NOT starts_with(checksum, '${WITHDRAWN}') ORDER BY position DESC LIMIT 1`;

const TABLES = `
  SELECT to_regclass('kiln_history.releases') IS NOT NULL AS "history",
    to_regclass('kiln_releases') IS NOT NULL AS "releases",
    (SELECT count(*) FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')) AS "tables"`;
