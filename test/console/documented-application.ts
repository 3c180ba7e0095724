/** An example that serves its documentation page, with one record of each model in its database. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { type OpenApiDocument, openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { configFromEnvironment } from '../../runtime/config/config.ts';
import type { ConsoleOptions } from '../../runtime/console/api/console-options.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { createLog } from '../../runtime/observe/log.ts';
import { type StartedServer, startServer } from '../../runtime/serve.ts';
import { ENVIRONMENT, seed, tokenFor } from '../compiler/openapi/contract-data.ts';
import { exampleDefinition, exampleFolder } from '../compiler/openapi/documents.ts';
import { exampleHooks } from '../support/example-hooks.ts';
import { createDatabase } from '../support/postgres.ts';

export interface DocumentedApplication {
  readonly definition: Definition;
  readonly document: OpenApiDocument;
  readonly server: StartedServer;
  /** Of the one account that there is; null where nobody can be authenticated. */
  readonly token: string | null;
}

type Variables = Readonly<Record<string, string>>;

export async function documentedExample(example: string): Promise<DocumentedApplication> {
  const definition = exampleDefinition(example);
  return documentedApplication(definition, example, await exampleHooks(exampleFolder(example), definition));
}

export async function documentedApplication(
  definition: Definition,
  title: string,
  hooks: HookModules = {},
  variables: Variables = {},
  console: ConsoleOptions | undefined = undefined,
): Promise<DocumentedApplication> {
  const { url, client } = await createDatabase();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  await seed(definition, client);
  const document = openApiFromDefinition(definition, { title, version: '1.2.3' });
  const config = configOf(url, variables);
  const log = createLog('silent');
  const started = { definition, hooks, openApi: openApiText(document), config, log, ...(console && { console }) };
  const server = await startServer(started);
  return { definition, document, server, token: await tokenFor(definition) };
}

function configOf(databaseUrl: string, variables: Variables) {
  const own = { DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: '0', SHUTDOWN_GRACE: '0' };
  const read = configFromEnvironment({ ...ENVIRONMENT, ...own, ...variables });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}
