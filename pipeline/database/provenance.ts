import { WITHDRAWN } from '../../compiler/definition/migration.ts';
import { withClient } from './connect.ts';

/** Who has made what is in a database, and so who may change it. */
type Provenance =
  | { readonly kind: 'empty' }
  /** By `kiln dev`, `kiln start` or `kiln db`. */
  | { readonly kind: 'development' }
  /** By `kiln migrate` or the `migrate` of an image. */
  | { readonly kind: 'releases'; readonly newest: NewestRelease | null }
  | { readonly kind: 'others' };

/** The last one that the database was brought to. */
export interface NewestRelease {
  readonly position: number;
  readonly revision: string;
  /** Whether it still keeps what only the release before it needs. */
  readonly isContractionPending: boolean;
}

/** Looks, and changes nothing. */
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

/** That is complete, and was not withdrawn. A ledger of an older Kiln has no columns for the contraction. */
const NEWEST = `
  SELECT position, revision,
    coalesce((release ->> 'contract_steps')::integer > (release ->> 'contract_done')::integer, false)
      AS "isContractionPending"
  FROM (SELECT position, revision, to_jsonb(kiln_releases) AS release FROM kiln_releases
    WHERE NOT starts_with(checksum, '${WITHDRAWN}')) AS releases
  ORDER BY position DESC LIMIT 1`;

const TABLES = `
  SELECT to_regclass('kiln_history.releases') IS NOT NULL AS "history",
    to_regclass('kiln_releases') IS NOT NULL AS "releases",
    (SELECT count(*) FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')) AS "tables"`;
