/**
 * Brings the tables of an application into a database that has none of them. A database that has them is left as it
 * is where they fit, and refused in a sentence where they do not: nothing here migrates.
 */
import type pg from 'pg';
import type { Definition } from '../../compiler/definition/definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/emit/sql/tables.ts';
import { misfits, readCatalog } from './catalog.ts';
import { withClient } from './connect.ts';
import { DatabaseRefusal } from './database-refusal.ts';
import { databaseName } from './database-url.ts';

/** True where the tables were made now. */
export async function createTables(url: string, definition: Definition): Promise<boolean> {
  const schema = schemaFromDefinition(definition);
  return withClient(url, async (client) => {
    await client.query('BEGIN');
    // Two that start at once: the second one waits, and finds the tables.
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const catalog = await readCatalog(client, schema);
    const isNew = catalog.columns.size === 0 && schema.tables.length > 0;
    if (isNew) await runSchema(client, schemaSql(schema), databaseName(url).database);
    else refuseMisfits(misfits(schema, catalog), databaseName(url).database);
    await client.query('COMMIT');
    return isNew;
  });
}

/** Any number that nothing else uses. */
const LOCK = 7_515_361_202;

async function runSchema(client: pg.Client, sql: string, database: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseRefusal(`the tables cannot be made in the database \`${database}\`: ${reason}`, { cause });
  }
}

function refuseMisfits(found: readonly string[], database: string): void {
  if (found.length === 0) return;
  const shown = found.slice(0, MOST_SHOWN);
  const rest = found.length - shown.length;
  const list = [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  throw new DatabaseRefusal(
    `the database \`${database}\` does not fit the sources: ${list}; \`kiln start\` makes the tables of an empty database, but does not migrate`,
  );
}

const MOST_SHOWN = 5;
