/**
 * What files cost: `npm run bench:files [-- --megabytes 1024 --rounds 3 --uploads 200]`. A large file goes through the server to
 * a folder and back, in turns with Express and streams by hand; then small files are sent to a bucket directly. Servers are
 * processes of their own, and memory is the largest resident size during a step less the size before it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { compile } from '../../compiler/compile.ts';
import { definitionText } from '../../compiler/definition/artifacts.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { PNG, startBucket } from '../../test/runtime/files/bucket.ts';
import { startCluster } from '../api/cluster.ts';
import { freePort } from '../api/free-port.ts';
import { cpuOfFamily } from '../api/machine.ts';
import { median } from '../compile/processes.ts';

const { values: options } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '1024' },
    rounds: { type: 'string', default: '3' },
    uploads: { type: 'string', default: '200' },
  },
});
const [megabytes, rounds, uploads] = [options.megabytes, options.rounds, options.uploads].map(Number) as [
  number,
  number,
  number,
];

const MEGABYTE = 2 ** 20;
const PROGRAM = `
model Clip { field video { type file, nullable, max "5gb" } }
api { entrypoint Clip as clip { get endpoint { response { id, video } } create endpoint { response { id } } } }`;

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

interface Cost {
  /** Of the process, in milliseconds. */
  readonly cpu: number;
  readonly seconds: number;
  /** In megabytes. */
  readonly memory: number;
}

await loadGrammar();
const { definition, diagnostics } = compile([{ path: 'main.kiln', text: PROGRAM }], () => undefined);
if (!definition) throw new Error(JSON.stringify(diagnostics));
const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-files-'));
writeFileSync(join(folder, 'definition.json'), definitionText(definition));
writeFileSync(join(folder, 'openapi.json'), '{}');
const cluster = await startCluster(undefined);
const url = cluster.url('postgres');
const client = new pg.Client(url);

// ── Large files ─────────────────────────────────────────────────────────────────────────────────────────────────────

type Steps = Readonly<Record<'up' | 'down', (server: Server) => Promise<void>>>;

async function largeFiles(): Promise<void> {
  const own = await started([resolve(import.meta.dirname, '../../dist/runtime/main.mjs'), 'serve'], {
    FILES_URL: pathToFileURL(join(folder, 'files')).href,
  });
  const port = await freePort();
  const peer = await started([join(import.meta.dirname, 'peer.mjs'), String(port), folder], {}, port);
  const contestants: readonly (readonly [string, Server, Steps])[] = [
    ['Kiln', own, OWN],
    ['Express and streams', peer, PEER],
  ];
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round < rounds; round++)
    for (const [name, server, steps] of contestants)
      for (const step of ['up', 'down'] as const) {
        const key = `${name}, ${step}`;
        costs.set(key, [...(costs.get(key) ?? []), await costOf(server, () => steps[step](server))]);
      }
  console.log(`\n${megabytes} MB through the server\n\n| | CPU ms | seconds | MB more |\n|---|--:|--:|--:|`);
  for (const [name, all] of costs) {
    const of = (part: keyof Cost) => median(all.map((cost) => cost[part])).toFixed(part === 'seconds' ? 2 : 0);
    console.log(`| ${name} | ${of('cpu')} | ${of('seconds')} | ${of('memory')} |`);
  }
  for (const { child } of [own, peer]) child.kill('SIGKILL');
}

let clip = 0;

const OWN: Steps = {
  async up({ port }) {
    const size = megabytes * MEGABYTE;
    const file = { name: 'a.mp4', type: 'video/mp4', size };
    const upload = JSON.parse(await sent(port, 'POST', '/api/clip/video/upload', file));
    await put(port, upload.url, size);
    clip = JSON.parse(await sent(port, 'POST', '/api/clip', { video: upload.file })).id;
  },
  down: ({ port }) => received(port, `/api/clip/${clip}/video`),
};

const PEER: Steps = {
  up: ({ port }) => put(port, '/file', megabytes * MEGABYTE),
  down: ({ port }) => received(port, '/file'),
};

/** The beginning of a video, and zeros. */
async function put(port: number, path: string, size: number): Promise<void> {
  const head = Buffer.alloc(MEGABYTE);
  head.write('\0\0\0\x18ftypisom', 'latin1');
  const rest = Buffer.alloc(MEGABYTE);
  const bytes = function* () {
    for (let at = 0; at < size / MEGABYTE; at++) yield at === 0 ? head : rest;
  };
  const headers = { 'content-type': 'video/mp4', 'content-length': size };
  await new Promise<void>((done, fail) => {
    const put = request({ port, host: '127.0.0.1', path, method: 'PUT', headers }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 204 ? done() : fail(new Error(`${answer.statusCode}`))));
    });
    pipeline(Readable.from(bytes()), put).catch(fail);
  });
}

async function received(port: number, path: string): Promise<void> {
  const answer = await new Promise<IncomingMessage>((done, fail) => {
    request({ port, host: '127.0.0.1', path }, done).on('error', fail).end();
  });
  let size = 0;
  for await (const chunk of answer) size += (chunk as Buffer).length;
  if (size !== megabytes * MEGABYTE) throw new Error(`${size} bytes of ${path} (${answer.statusCode})`);
}

async function costOf({ child }: Server, step: () => Promise<void>): Promise<Cost> {
  const pid = child.pid ?? 0;
  const [memory, cpu, start] = [residentMegabytes(pid), cpuOfFamily(pid), performance.now()];
  let largest = memory;
  const timer = setInterval(() => {
    largest = Math.max(largest, residentMegabytes(pid));
  }, 20);
  await step().finally(() => clearInterval(timer));
  const seconds = (performance.now() - start) / 1000;
  return { cpu: (cpuOfFamily(pid) - cpu) / 1000, seconds, memory: largest - memory };
}

function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

// ── Direct uploads ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The bytes go to the bucket, so the server has two small requests for each file. */
async function directUploads(): Promise<void> {
  const bucket = await startBucket();
  const server = await started(
    [resolve(import.meta.dirname, '../../dist/runtime/main.mjs'), 'serve'],
    bucket.environment,
  );
  const { port } = server;
  const form = { name: 'a.png', type: 'image/png', size: PNG.length };
  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    'a create without a file': () => sent(port, 'POST', '/api/clip', {}),
    'an upload to the bucket, and a create with it': async () => {
      const upload = JSON.parse(await sent(port, 'POST', '/api/clip/video/upload', form));
      const answer = await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: PNG });
      if (!answer.ok) throw new Error(`the bucket answered ${answer.status}`);
      await sent(port, 'POST', '/api/clip', { video: upload.file });
    },
  };
  console.log('\n| for each | CPU ms of the server |\n|---|--:|');
  for (const [name, step] of Object.entries(steps)) {
    for (let at = 0; at < 50; at++) await step();
    const { cpu } = await costOf(server, async () => {
      for (let at = 0; at < uploads; at++) await step();
    });
    console.log(`| ${name} | ${(cpu / uploads).toFixed(2)} |`);
  }
  server.child.kill('SIGKILL');
  await bucket.close();
}

// ── Servers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function started(program: readonly string[], environment: object, known?: number): Promise<Server> {
  const port = known ?? (await freePort());
  const own = { DATABASE_URL: url, KILN_APP: folder, PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, program, { env: { ...process.env, ...own, ...environment }, stdio: 'inherit' });
  process.once('exit', () => child.kill('SIGKILL'));
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok) await sleep(50);
  return { child, port };
}

async function sent(port: number, method: string, path: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text;
}

// ── All of it ──────────────────────────────────────────────────────────────────────────────────────────────────────────

try {
  await client.connect();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  await largeFiles();
  await directUploads();
} finally {
  await client.end();
  await cluster.stop();
  rmSync(folder, { recursive: true });
}
