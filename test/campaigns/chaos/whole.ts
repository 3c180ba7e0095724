/**
 * An answer is either whole and right, or its connection is cut. Clients that send ahead, read slowly or go away compare
 * every byte, while backends are killed, statements run into their timeout, connections are scarce, and the server is
 * stopped in the middle of long answers and started again.
 */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openApiFromDefinition } from '../../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { type Random, randomFrom } from '../../../runtime/populate/random.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';
import { withClient } from '../databases.ts';
import { type Limit, overAfter } from '../limit.ts';
import { type ServedApplication, startServerProcess } from '../server-process.ts';
import { AnswerReader, type WholeAnswer } from './answer-reader.ts';
import { killed } from './faults.ts';

const SHEETS = 1000;

/** Few connections and short limits, so that all of them are reached. */
const ENVIRONMENT = {
  DATABASE_POOL_MAX: '3',
  DATABASE_ACQUIRE_TIMEOUT: '300ms',
  DATABASE_STATEMENT_TIMEOUT: '200ms',
  SHUTDOWN_GRACE: '100ms',
  SHUTDOWN_TIMEOUT: '5s',
};

/** How long a server runs before it is stopped, at most. */
const ROUND_MS = 8000;
const LOCKED_MS = 700;
export class WholeFindings {
  readonly statuses = new Map<number, number>();
  readonly broken: string[] = [];
  rounds = 0;
  kills = 0;
  locks = 0;
  answers = 0;
  cut = 0;

  see({ status, body }: WholeAnswer, path: string, expected: Buffer, isCalm: boolean): void {
    this.answers += 1;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const isRight = status === 200 ? body.equals(expected) : !isCalm && isRefusal(status, body);
    if (!isRight) this.broken.push(`${path}: ${status}, ${body.length} bytes: ${body.toString('utf8').slice(0, 300)}`);
  }

  text(): string {
    const statuses = [...this.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return [
      `${this.answers} whole answers (${statuses.join(', ')}), ${this.cut} connections cut in the middle of one`,
      `${this.rounds} starts and stops, ${this.kills} backends killed, ${this.locks} locks longer than the timeout`,
      `${this.broken.length} broken answers`,
      ...this.broken.slice(0, 5).map((each) => `✗ ${each}`),
    ].join('\n');
  }
}

function isRefusal(status: number, body: Buffer): boolean {
  if (status !== 503) return false;
  return (JSON.parse(body.toString('utf8')) as { readonly status?: number }).status === status;
}

interface WholeSettings {
  readonly databaseUrl: string;
  readonly seed: number;
  readonly limit: Limit;
  readonly clients: number;
  /** Requests one after the other, right after each start and before the first fault: all must succeed. */
  readonly calm: number;
  readonly findings: WholeFindings;
}

/** By path. */
type Expected = ReadonlyMap<string, Buffer>;

export async function runWhole(settings: WholeSettings): Promise<void> {
  const { databaseUrl, findings, limit } = settings;
  const application = await wholeApplication();
  const expected = await withClient(databaseUrl, async (client) => {
    await client.query(schemaSql(schemaFromDefinition(application.definition)));
    await client.query(`INSERT INTO sheet (text) SELECT repeat(md5(n::text), 15) FROM generate_series(1, ${SHEETS}) n`);
    const { rows } = await client.query('SELECT id::integer, text FROM sheet ORDER BY id');
    return expectedOf(rows);
  });
  const isOver = overAfter(limit, () => findings.answers);
  while (findings.rounds === 0 || (!isOver() && findings.broken.length === 0))
    await round(settings, application, expected, isOver);
}

async function wholeApplication(): Promise<ServedApplication> {
  await loadGrammar();
  const path = 'whole.kiln';
  const definition = definitionOf([{ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }]);
  const document = openApiFromDefinition(definition, { title: 'whole', version: '1' });
  return { definition, document, hooks: null, environment: ENVIRONMENT };
}

function expectedOf(rows: readonly { readonly id: number; readonly text: string }[]): Expected {
  const each = rows.map(({ id, text }) => [`/api/sheets/${id}`, JSON.stringify({ id, text })] as const);
  const list = ['/api/sheets', `[${each.map(([, json]) => json).join(',')}]`] as const;
  return new Map([list, ...each].map(([path, json]) => [path, Buffer.from(json)]));
}

async function round(
  settings: WholeSettings,
  application: ServedApplication,
  expected: Expected,
  isOver: () => boolean,
): Promise<void> {
  const { databaseUrl, findings, seed } = settings;
  const number = ++findings.rounds;
  const server = await startServerProcess(application, databaseUrl, () => undefined);
  const port = Number(new URL(server.url).port);
  let isDone = false;
  const clientFor = (name: string) =>
    new ComparingClient({ port, expected, findings, random: randomFrom(`${seed} ${number} ${name}`) });
  await clientFor('calm').askCalmly(settings.calm);
  const clients = Array.from({ length: settings.clients }, async (_, at) => {
    const client = clientFor(String(at));
    while (!isDone) await client.step(BEHAVIOURS[at % BEHAVIOURS.length] as Behaviour);
  });
  const random = randomFrom(`${seed} ${number} faults`);
  const end = performance.now() + ROUND_MS * (0.5 + random.next() / 2);
  const target = findings.answers + 200;
  const isStopped = () => performance.now() >= end || (isOver() && findings.answers >= target);
  await Promise.all([killing(settings, random, isStopped), locking(settings, random, isStopped)]);
  await server.stop();
  isDone = true;
  await Promise.all(clients);
}

async function killing({ databaseUrl, findings }: WholeSettings, random: Random, isStopped: () => boolean) {
  while (!isStopped()) {
    await sleep(random.below(200));
    findings.kills += await killed({ databaseUrl });
  }
}

/** Nobody can read the table meanwhile: statements run into their timeout, and requests wait for connections. */
async function locking({ databaseUrl, findings }: WholeSettings, random: Random, isStopped: () => boolean) {
  await withClient(databaseUrl, async (client) => {
    while (!isStopped()) {
      await sleep(random.below(2000));
      await client.query('BEGIN');
      await client.query('LOCK TABLE sheet');
      await sleep(LOCKED_MS);
      await client.query('COMMIT');
      findings.locks += 1;
    }
  });
}

// ── Clients ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `ahead`: how many requests are sent at once. `pause`: after each chunk, in ms. `leaves`: in the middle of an answer. */
interface Behaviour {
  readonly ahead: number;
  readonly pause: number;
  readonly leaves: boolean;
}

const BEHAVIOURS: readonly Behaviour[] = [
  { ahead: 1, pause: 0, leaves: false },
  { ahead: 5, pause: 0, leaves: false },
  { ahead: 2, pause: 20, leaves: false },
  { ahead: 3, pause: 0, leaves: true },
];

interface ClientParts {
  readonly port: number;
  readonly expected: Expected;
  readonly findings: WholeFindings;
  readonly random: Random;
}

class ComparingClient {
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  async askCalmly(times: number): Promise<void> {
    for (let number = 0; number < times; number++)
      await this.#ask([this.#somePath()], { ahead: 1, pause: 0, leaves: false }, true);
  }

  /** One connection. */
  async step(behaviour: Behaviour): Promise<void> {
    const paths = Array.from({ length: behaviour.ahead }, () => this.#somePath());
    await this.#ask(paths, behaviour, false);
    // Where nobody listens, it must not spin.
    await sleep(this.#parts.random.below(10));
  }

  #somePath(): string {
    const { random } = this.#parts;
    return random.next() < 0.5 ? '/api/sheets' : `/api/sheets/${1 + random.below(SHEETS)}`;
  }

  #ask(paths: readonly string[], { pause, leaves }: Behaviour, isCalm: boolean): Promise<void> {
    const { port, findings, random } = this.#parts;
    const waiting = [...paths];
    const reader = new AnswerReader();
    const leavesAfter = leaves ? random.below(600_000) : Number.POSITIVE_INFINITY;
    let hasBegun = false;
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(paths.map(requestFor).join('')));
      socket.on('data', (chunk: Buffer) => {
        hasBegun = true;
        if (!this.#compare(reader, chunk, waiting, isCalm) || waiting.length === 0) socket.destroy();
        if (socket.bytesRead >= leavesAfter) socket.destroy();
        if (pause > 0) rest(socket, pause);
      });
      socket.on('error', () => undefined);
      socket.once('close', () => {
        if (waiting.length > 0 && hasBegun && !leaves) findings.cut += 1;
        if (waiting.length > 0 && isCalm) findings.broken.push(`${waiting[0]}: no answer, though nothing was wrong`);
        resolve();
      });
    });
  }

  /** False where what came is no answer. */
  #compare(reader: AnswerReader, chunk: Buffer, waiting: string[], isCalm: boolean): boolean {
    const { findings, expected } = this.#parts;
    try {
      for (const answer of reader.read(chunk)) {
        const path = waiting.shift() ?? 'nothing that was asked for';
        findings.see(answer, path, expected.get(path) ?? Buffer.alloc(0), isCalm);
      }
      return true;
    } catch (error) {
      findings.broken.push(`${waiting[0]}: ${String(error)}`);
      return false;
    }
  }
}

function requestFor(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
}

function rest(socket: Socket, pause: number): void {
  socket.pause();
  setTimeout(() => socket.resume(), pause);
}
