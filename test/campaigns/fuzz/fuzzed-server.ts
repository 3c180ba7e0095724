/** An application on a database with data, served by a process of its own. */
import pg from 'pg';
import type { Definition, Field, Model } from '../../../compiler/definition/definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { populate } from '../../../runtime/populate/populate.ts';
import { seed as seedRecords } from '../../compiler/openapi/contract-data.ts';
import { withClient } from '../databases.ts';
import { type ServerProcess, startServerProcess } from '../server-process.ts';
import type { FuzzedApplication } from './applications.ts';
import { loadedHooks } from './loaded-hooks.ts';
import { SECRET_NUMBER, SECRET_TEXT } from './marks.ts';

export interface FuzzedServer {
  readonly server: ServerProcess;
  readonly client: pg.Pool;
  stop(): Promise<void>;
}

export async function startFuzzedServer(
  application: FuzzedApplication,
  databaseUrl: string,
  onLine: (line: string) => void,
): Promise<FuzzedServer> {
  await withClient(databaseUrl, (filling) => fill(application, databaseUrl, filling));
  const client = new pg.Pool({ connectionString: databaseUrl, max: 3 });
  // Its connections may outlive the end of the pool, and then see Postgres stop.
  client.on('error', () => undefined);
  const server = await startServerProcess(application, databaseUrl, onLine);
  return {
    server,
    client,
    async stop() {
      await server.stop();
      await client.end();
    },
  };
}

/** By its populator, or with one record of each model. */
async function fill({ definition, hooks }: FuzzedApplication, databaseUrl: string, client: pg.Client): Promise<void> {
  await client.query(schemaSql(schemaFromDefinition(definition)));
  const [populator] = definition.populators;
  if (populator) await populate(definition, populator.name, { databaseUrl, hooks: await loadedHooks(hooks) });
  else await seedRecords(definition, client);
  await plantSecrets(definition, client);
}

/** Secret values that are easy to recognise. Hashes of passwords are recognised by their form. */
async function plantSecrets(definition: Definition, client: pg.Client): Promise<void> {
  for (const model of definition.models) {
    const planted = model.fields.flatMap((field) => plantedValue(field, model, definition) ?? []);
    if (planted.length > 0) await client.query(`UPDATE "${model.table}" SET ${planted.join(', ')}`);
  }
}

function plantedValue({ secret, column, type, name }: Field, model: Model, { auth }: Definition): string | null {
  if (!secret || (auth?.model === model.name && auth.password?.hash === name)) return null;
  if (type.kind === 'string') return `"${column}" = '${SECRET_TEXT} ' || id`;
  return type.kind === 'decimal' ? `"${column}" = ${SECRET_NUMBER}.5` : null;
}
