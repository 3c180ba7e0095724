/**
 * A pgbouncer in transaction mode in front of the tests' Postgres, for whoever has one, or the image that `images/build.sh`
 * makes. `KILN_TEST_PGBOUNCER` is the command that starts it, and every application of the tests then reaches its database
 * through it.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../bench/api/free-port.ts';
import { until } from './until.ts';

const GIVEN = process.env.KILN_TEST_PGBOUNCER;
const IMAGE = 'kiln-test-pgbouncer';
const CONTAINER = `kiln-test-pgbouncer-${process.pid}`;

/** Beside the folder of its settings. */
function command(folder = tmpdir()): readonly [string, ...string[]] {
  if (GIVEN) return [GIVEN];
  if (spawnSync('pgbouncer', ['--version'], { stdio: 'ignore' }).status === 0) return ['pgbouncer'];
  const place = ['--network=host', `--volume=${folder}:${folder}`, `--name=${CONTAINER}-${basename(folder)}`];
  return ['docker', 'run', '--rm', '--pull=never', ...place, IMAGE, 'pgbouncer'];
}

/** As `docs/operations.md` says it, except for names and passwords. */
export const POOLER_SETTINGS = {
  pool_mode: 'transaction',
  max_prepared_statements: '200',
  track_extra_parameters: 'search_path',
} as const;

/** What an application needs that reaches its database through the pooler. */
export const POOLER_ENVIRONMENT = { DATABASE_STATEMENT_TIMEOUT: '0' } as const;

let pooler: Promise<number> | undefined;

/** The same address where there is no pooler. */
export async function throughPooler(databaseUrl: string): Promise<string> {
  if (!GIVEN) return databaseUrl;
  const url = new URL(databaseUrl);
  pooler ??= startPooler(url);
  url.port = String(await pooler);
  await reconnect(url);
  return url.href;
}

/** Tests drop whole schemas, and a connection that outlives its types has statements prepared that cannot be mended. */
async function reconnect(address: URL): Promise<void> {
  const console = new URL(address);
  console.pathname = 'pgbouncer';
  const client = new pg.Client(console.href);
  await client.connect();
  await client.query('RECONNECT').finally(() => client.end());
}

export const usesPooler = Boolean(GIVEN);

/** Why a test cannot have a pooler of its own: it must keep `search_path` for each client. */
export function whyNoPooler(): string | undefined {
  const [program, ...given] = command();
  const { stdout, status } = spawnSync(program, [...given, '--version'], { encoding: 'utf8' });
  if (status !== 0) return 'there is no pgbouncer (KILN_TEST_PGBOUNCER)';
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? [];
  return major > 1 || minor >= 20 ? undefined : `pgbouncer ${major}.${minor} is older than 1.20`;
}

/** The port of a pooler in front of the Postgres of this address. */
export async function startPooler(target: URL, more: Readonly<Record<string, string>> = {}): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-pooler-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, configText(target, port, { ...POOLER_SETTINGS, ...more }));
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const [program, ...given] = command(folder);
  const child = spawn(program, [...given, ...user, file], { stdio: 'ignore' });
  process.once('exit', () => end(child, folder));
  after('stops the pooler', () => end(child, folder));
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    return answers(port);
  });
  return port;
}

function configText(
  { hostname, port, username, password }: URL,
  ownPort: number,
  values: Readonly<Record<string, string>>,
): string {
  const settings = Object.entries(values).map(([name, value]) => `${name} = ${value}`);
  return [
    '[databases]',
    `* = host=${hostname} port=${port} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${ownPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    `admin_users = ${username}`,
    ...settings,
    '',
  ].join('\n');
}

function end(child: ChildProcess, folder: string): void {
  // It waits for its clients after any other signal.
  child.kill('SIGQUIT');
  if (child.spawnfile === 'docker') removeContainer(`${CONTAINER}-${basename(folder)}`);
  rmSync(folder, { recursive: true, force: true });
}

/** Until it is gone: the engine may be removing it already, and then does not wait. */
function removeContainer(name: string): void {
  const isThere = () => spawnSync('docker', ['container', 'inspect', name], { stdio: 'ignore' }).status === 0;
  for (let tries = 0; tries < 50 && isThere(); tries++) {
    spawnSync('docker', ['rm', '--force', name], { stdio: 'ignore' });
    spawnSync('sleep', ['0.1']);
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
