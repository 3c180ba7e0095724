import { withClient } from './connect.ts';

/** Who has made what is in a database, and so who may change it. */
export type Provenance =
  | { readonly kind: 'empty' }
  /** By `kiln dev`, `kiln start` or `kiln db`. */
  | { readonly kind: 'development' }
  /** By `kiln migrate` or the `migrate` of an image; the last one it was brought to. */
  | { readonly kind: 'releases'; readonly revision: string | null }
  | { readonly kind: 'others' };

/** Looks, and changes nothing. */
export function provenanceOf(url: string): Promise<Provenance> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Tables>(TABLES);
    const { tables, history, releases } = rows[0] as Tables;
    if (history) return { kind: 'development' };
    if (!releases) return { kind: tables === '0' ? 'empty' : 'others' };
    const last = await client.query<{ revision: string }>(
      'SELECT revision FROM kiln_releases ORDER BY position DESC LIMIT 1',
    );
    return { kind: 'releases', revision: last.rows[0]?.revision ?? null };
  });
}

interface Tables {
  readonly tables: string;
  readonly history: boolean;
  readonly releases: boolean;
}

const TABLES = `
  SELECT to_regclass('kiln_history.releases') IS NOT NULL AS "history",
    to_regclass('kiln_releases') IS NOT NULL AS "releases",
    (SELECT count(*) FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')) AS "tables"`;
