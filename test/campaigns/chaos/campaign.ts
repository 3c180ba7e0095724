/** Clients with marked data against one server, while the database under it fails; then a look at what is stored. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openApiFromDefinition } from '../../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { randomFrom } from '../../../runtime/populate/random.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';
import { until } from '../../support/until.ts';
import { withClient } from '../databases.ts';
import { Operations } from '../fuzz/operations.ts';
import { type Limit, overAfter } from '../limit.ts';
import { Sender } from '../send.ts';
import { isReady, type ServedApplication, startServerProcess } from '../server-process.ts';
import { causeFaults } from './faults.ts';
import type { Findings } from './findings.ts';
import { MarkedClient } from './marked-client.ts';
import { verifyStored } from './verify.ts';

interface ChaosSettings {
  readonly databaseUrl: string;
  readonly seed: number;
  /** At least one backend is killed and Postgres crashes at least once, however short it is. */
  readonly limit: Limit;
  readonly clients: number;
  readonly crashSeconds: number;
  readonly findings: Findings;
  /** Another way to the server than the direct one. */
  readonly through?: (url: string) => Promise<string>;
  readonly progress?: (line: string) => void;
}

/** For the cluster: a commit that was acknowledged must survive a crash of Postgres. */
export const DURABLE = ['synchronous_commit=on'];

const PATIENCE_MS = 60_000;
const KILL_MS = 200;
const RECOVERY_MS = 60_000;
/** A short run waits that long for the first kill and the first crash. */
const LATEST_FAULT_MS = 30_000;

export async function runChaos(settings: ChaosSettings): Promise<void> {
  const { databaseUrl } = settings;
  const application = await markedApplication();
  await withClient(databaseUrl, (client) => client.query(schemaSql(schemaFromDefinition(application.definition))));
  const server = await startServerProcess(application, databaseUrl, () => undefined);
  try {
    const { through = async (url) => url } = settings;
    const clients = await underFaults(settings, application, await through(server.url));
    await untilReadyAgain(server.url);
    await withClient(databaseUrl, (client) =>
      verifyStored(
        clients.map(({ ledger }) => ledger),
        client,
        settings.findings,
      ),
    );
  } finally {
    await server.stop();
  }
}

export async function markedApplication(): Promise<ServedApplication> {
  await loadGrammar();
  const path = 'marked.kiln';
  const definition = definitionOf([{ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }]);
  const document = openApiFromDefinition(definition, { title: 'marked', version: '1' });
  return { definition, document, hooks: null, environment: { DATABASE_ACQUIRE_TIMEOUT: '5s' } };
}

async function underFaults(
  settings: ChaosSettings,
  { document, definition }: ServedApplication,
  url: string,
): Promise<readonly MarkedClient[]> {
  const { seed, limit, findings, databaseUrl, crashSeconds } = settings;
  const sender = new Sender(url, PATIENCE_MS);
  const operations = new Operations(document, definition);
  const clients = Array.from({ length: settings.clients }, (_, at) => {
    const random = randomFrom(`${seed} client ${at + 1}`);
    return new MarkedClient(at + 1, { random, sender, operations, findings });
  });
  await Promise.all(clients.map((client) => client.prepare()));
  const isLimit = overAfter(limit, () => findings.requests);
  const latest = performance.now() + LATEST_FAULT_MS;
  const hadFaults = () => (findings.kills > 0 && findings.crashes > 0) || performance.now() > latest;
  const isOver = () => isLimit() && hadFaults();
  const faults = causeFaults({
    databaseUrl,
    random: randomFrom(`${seed} faults`),
    findings,
    killMilliseconds: KILL_MS,
    crashMilliseconds: crashSeconds * 1000,
    isOver,
  });
  const progress = showing(settings, isOver);
  const running = clients.map(async (client) => {
    while (!isOver()) await client.step();
  });
  await Promise.all([...running, faults, progress]);
  sender.close();
  return clients;
}

async function showing({ findings, progress = () => undefined }: ChaosSettings, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { requests, kills, crashes } = findings;
    progress(`${requests} requests, ${kills} kills, ${crashes} crashes`);
    await sleep(200);
  }
}

async function untilReadyAgain(url: string): Promise<void> {
  await until(() => isReady(url), { limit: RECOVERY_MS });
}
