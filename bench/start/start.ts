/**
 * What a large application costs a server: `npm run bench:start [-- --models 1000 --rounds 5 --before <checkout>]`. Servers of
 * three models and of many are started in turns, each from a folder as images have it, on a database that `migrate` has made.
 * CPU time is that of the process, which other work on the machine disturbs least.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { startCluster } from '../api/cluster.ts';
import { runtimeOf } from '../api/contestants.ts';
import { freePort } from '../api/free-port.ts';
import { cpuOfFamily, peakMegabytes } from '../api/machine.ts';
import { table, tenths, whole } from '../api/table.ts';
import { median } from '../compile/processes.ts';
import { writeFolder } from './folders.ts';

const { values: options } = parseArgs({
  options: {
    models: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    before: { type: 'string' },
  },
});

interface Application {
  readonly name: string;
  readonly folder: string;
  readonly databaseUrl: string;
}

interface Contestant {
  readonly name: string;
  readonly runtime: string;
  readonly application: Application;
}

interface Figures {
  /** From the start of the process to `/readyz`, in milliseconds of CPU time. */
  readonly start: number;
  /** When it is ready. */
  readonly startPeak: number;
  /** CPU time of a request, over lists that nobody has asked for. */
  readonly first: number;
  /** The same lists again. */
  readonly second: number;
}

const FIRSTS = 100;
const READINGS = 10;
const agent = new Agent({ keepAlive: true });
const main = mkdtempSync(join(tmpdir(), 'kiln-bench-start-'));
process.once('exit', () => rmSync(main, { recursive: true, force: true }));
const cluster = await startCluster(undefined);
try {
  const own = runtimeOf(join(import.meta.dirname, '../..'));
  const applications = [await applicationOf(3), await applicationOf(Number(options.models))];
  const runtimes = [...(options.before ? [['before', runtimeOf(options.before)] as const] : []), ['now', own] as const];
  const contestants = runtimes.flatMap(([name, runtime]) =>
    applications.map((application) => ({ name: `${application.name}, ${name}`, runtime, application })),
  );
  console.log(migrateReport(await migrations(applications, own)));
  console.log(startReport(contestants, await startsInTurns(contestants)));
  for (const contestant of contestants) console.log(metricsReport(await metricsOf(contestant)));
  console.log(sizeReport(applications));
} finally {
  agent.destroy();
  await cluster.stop();
}

async function applicationOf(models: number): Promise<Application> {
  const folder = join(main, `of-${models}`);
  await writeFolder(folder, models);
  return { name: `${models} models`, folder, databaseUrl: await cluster.copy('template0', `of_${models}`) };
}

// ── Migrate ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Migration {
  readonly name: string;
  readonly seconds: number;
}

/** Of an empty database, elapsed: most of it is Postgres. */
async function migrations(applications: readonly Application[], runtime: string): Promise<readonly Migration[]> {
  const found: Migration[] = [];
  for (const { name, folder, databaseUrl } of applications) {
    const start = performance.now();
    const child = started(runtime, ['migrate'], { KILN_APP: folder, DATABASE_URL: databaseUrl });
    const code = await new Promise((done) => child.once('exit', done));
    if (code !== 0) throw new Error(`migrate ended with ${code}`);
    found.push({ name, seconds: (performance.now() - start) / 1000 });
  }
  return found;
}

// ── Servers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function startsInTurns(contestants: readonly Contestant[]): Promise<ReadonlyMap<string, readonly Figures[]>> {
  const figures = new Map(contestants.map(({ name }): [string, Figures[]] => [name, []]));
  for (let round = 0; round < Number(options.rounds); round++)
    for (const contestant of contestants) figures.get(contestant.name)?.push(await figuresOf(contestant));
  return figures;
}

async function figuresOf(contestant: Contestant): Promise<Figures> {
  return served(contestant, async ({ pid, url, lists }) => {
    const start = cpuOfFamily(pid) / 1000;
    const startPeak = peakMegabytes(pid);
    const some = lists.filter((_, at) => at % Math.ceil(lists.length / FIRSTS) === 0);
    return { start, startPeak, first: await costOf(pid, url, some), second: await costOf(pid, url, some) };
  });
}

interface Served {
  readonly pid: number;
  readonly url: string;
  readonly lists: readonly string[];
}

async function served<T>({ runtime, application }: Contestant, measure: (served: Served) => Promise<T>): Promise<T> {
  const { folder, databaseUrl } = application;
  const port = String(await freePort());
  const environment = { KILN_APP: folder, DATABASE_URL: databaseUrl, PORT: port, METRICS_PORT: port };
  const child = started(runtime, ['serve'], environment);
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilReady(child, url);
    return await measure({ pid: child.pid ?? 0, url, lists: listsIn(folder) });
  } finally {
    child.kill('SIGKILL');
  }
}

/** Endpoints that need no record. */
function listsIn(folder: string): readonly string[] {
  const { endpoints } = JSON.parse(readFileSync(join(folder, 'definition.json'), 'utf8')) as {
    readonly endpoints: readonly { readonly kind: string; readonly path: readonly { readonly text?: string }[] }[];
  };
  const lists = endpoints.filter(({ kind, path }) => kind === 'list' && path.every(({ text }) => text !== undefined));
  return lists.map(({ path }) => `/${path.map(({ text }) => text).join('/')}`);
}

/** CPU milliseconds of one request. */
async function costOf(pid: number, url: string, paths: readonly string[]): Promise<number> {
  const start = cpuOfFamily(pid);
  for (const path of paths) await answered(`${url}${path}`);
  return (cpuOfFamily(pid) - start) / 1000 / paths.length;
}

interface Reading {
  readonly name: string;
  /** CPU milliseconds of one reading, when every list has had a request. */
  readonly cost: number;
  readonly bytes: number;
}

async function metricsOf(contestant: Contestant): Promise<Reading> {
  return served(contestant, async ({ pid, url, lists }) => {
    await costOf(pid, url, lists);
    const cost = await costOf(pid, url, Array<string>(READINGS).fill('/metrics'));
    return { name: contestant.name, cost, bytes: (await answered(`${url}/metrics`)).text.length };
  });
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const isReady = () =>
    answered(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the server has ended with ${child.exitCode}`);
    await pause(5);
  }
}

function started(runtime: string, words: readonly string[], environment: Readonly<Record<string, string>>) {
  const env = { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', LOG_LEVEL: 'warn', ...environment };
  const child = spawn(process.execPath, [runtime, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

function answered(url: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response) => {
      const parts: string[] = [];
      response.setEncoding('utf8');
      response.on('data', (part: string) => parts.push(part));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text: parts.join('') }));
    });
    sent.once('error', reject);
    sent.end();
  });
}

// ── Reports ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function migrateReport(migrated: readonly Migration[]): string {
  const rows = migrated.map(({ name, seconds }) => [name, tenths(seconds)]);
  return `migrate of an empty database\n${table(['application', 's'], rows)}`;
}

function startReport(contestants: readonly Contestant[], all: ReadonlyMap<string, readonly Figures[]>): string {
  const head = ['server', 'start CPU ms', 'peak MB', 'first request CPU ms', 'second'];
  const rows = contestants.map(({ name }) => {
    const of = (figure: keyof Figures) => median((all.get(name) ?? []).map((each) => each[figure]));
    return [name, whole(of('start')), whole(of('startPeak')), tenths(of('first')), tenths(of('second'))];
  });
  return `Servers, medians of ${options.rounds}\n${table(head, rows)}`;
}

function metricsReport({ name, cost, bytes }: Reading): string {
  return `/metrics of ${name}: ${tenths(cost)} CPU ms, ${whole(bytes / 1000)} KB\n`;
}

function sizeReport(applications: readonly Application[]): string {
  const rows = applications.flatMap(({ name, folder }) =>
    ['definition.json', 'openapi.json', 'releases.json'].map((file) => {
      const path = join(folder, file);
      const sizes = [statSync(path).size, gzipSync(readFileSync(path)).length];
      return [`${file} of ${name}`, ...sizes.map((size) => whole(size / 1000))];
    }),
  );
  return `Files\n${table(['file', 'KB', 'KB with gzip'], rows)}`;
}
