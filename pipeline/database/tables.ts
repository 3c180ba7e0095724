/** What a database has, as far as an application is concerned. Nothing here changes it. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { misfits, readCatalog } from './catalog.ts';
import { withClient } from './connect.ts';
import { DatabaseRefusal } from './database-refusal.ts';
import { databaseName } from './database-url.ts';
import { provenanceOf } from './provenance.ts';

export function isEmptyDatabase(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')`,
    );
    return rows[0]?.count === '0';
  });
}

/** A sentence where tables or columns are missing or of other types. */
export async function refuseMisfits(url: string, definition: Definition): Promise<void> {
  const schema = schemaFromDefinition(definition);
  const found = await withClient(url, async (client) => misfits(schema, await readCatalog(client, schema)));
  if (found.length === 0) return;
  const shown = found.slice(0, MOST_SHOWN);
  const rest = found.length - shown.length;
  const list = [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  const { kind } = await provenanceOf(url);
  throw new DatabaseRefusal(
    `the database \`${databaseName(url).database}\` does not match the sources: ${list}; ${kind === 'releases' ? BY_RELEASES : BY_SYNC}`,
  );
}

const BY_SYNC = '`kiln start` creates the tables of an empty database, but does not migrate: `kiln db sync` does';
const BY_RELEASES =
  'releases bring this database up to date: `kiln build` makes a release of the sources, `kiln migrate` brings the database to it';

const MOST_SHOWN = 5;
