/** Applications for clients to talk to, and servers that are in their way. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import type { HookModules } from '../../../runtime/hooks/hook-code.ts';
import { ENVIRONMENT } from '../../compiler/openapi/contract-data.ts';
import { exampleDefinition, exampleFolder } from '../../compiler/openapi/documents.ts';
import { startApplication } from '../../support/application.ts';
import { exampleHooks } from '../../support/example-hooks.ts';
import { createDatabase } from '../../support/postgres.ts';

export interface Live {
  readonly url: string;
  readonly database: pg.Client;
  stop(): Promise<void>;
}

/** `contract` is what the server says of itself. */
export async function startLive(definition: Definition, contract: string, hooks: HookModules = {}): Promise<Live> {
  const { url: databaseUrl, client: database } = await createDatabase();
  await database.query(schemaSql(schemaFromDefinition(definition)));
  const openApi = JSON.stringify({ openapi: '3.1.0', 'x-kiln-contract': contract });
  const { url, stop } = await startApplication({ definition, databaseUrl, hooks, openApi, environment: ENVIRONMENT });
  return { url, database, stop };
}

export async function startExample(name: string, contract: string): Promise<Live> {
  const definition = exampleDefinition(name);
  return startLive(definition, contract, await exampleHooks(exampleFolder(name), definition));
}

// ── Servers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface SmallServer {
  readonly url: string;
  /** Method and path of each request, in order. */
  readonly requests: readonly string[];
  stop(): void;
}

export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse, count: number) => void,
): Promise<SmallServer> {
  const requests: string[] = [];
  const server = createServer((incoming, response) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    answer(incoming, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, stop };
}

/** A proxy that takes `/shop` off each path, and knows nothing else. */
export function startProxy(target: string): Promise<SmallServer> {
  return startServer((incoming, response) => {
    if (!incoming.url?.startsWith('/shop/')) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>nothing here</h1>');
      return;
    }
    const { method, headers } = incoming;
    const onward = request(target + incoming.url.slice('/shop'.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
}
