/**
 * Where the commands of one document run: a fresh home with a git identity, `kiln` of this checkout on the path, a
 * checkout to stand in for a clone, and a free port. What it leaves in a Docker engine is removed with it.
 */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { freePort } from '../../bench/api/free-port.ts';
import { POSTGRES_IMAGE } from '../support/runtime-base.ts';
import { testContainers } from '../support/test-containers.ts';
import { until } from '../support/until.ts';
import { type Names, namesOf } from './session-names.ts';
import { Shell } from './session-shell.ts';

/** In milliseconds, after the last push. */
const TIDYING_LIMIT = 60_000;
const ROOT = resolve(import.meta.dirname, '../..');
let sandboxes = 0;

export interface Sandbox {
  readonly folder: string;
  readonly names: Names;
  readonly shell: Shell;
  close(): Promise<void>;
}

/** `base` is the image of the runtime, where there is a Docker engine. */
export async function openSandbox(applications: readonly string[], base: string): Promise<Sandbox> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kiln-docs-')));
  const home = join(folder, 'home');
  sandboxes += 1;
  const run = `${process.pid}-${sandboxes}`;
  const port = await freePort();
  furnish(folder, home, base);
  const names = namesOf({
    folders: { '/home/ada': home, '/srv': join(folder, 'srv') },
    port,
    nextPort: await freePort(),
    images: { 'kiln-runtime': base, 'postgres:18': POSTGRES_IMAGE },
    applications,
    run,
  });
  const shell = new Shell(folder, home, environment(folder, home, port));
  const close = async (): Promise<void> => {
    await shell.end();
    // They use images that are removed here.
    await until(() => testContainers(folder).length === 0, { limit: TIDYING_LIMIT });
    for (const application of applications) clearEngine(`${application}-${run}`);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  return { folder, names, shell, close };
}

function furnish(folder: string, home: string, base: string): void {
  // The embedded Postgres may run as another user, who has to reach its folder.
  chmodSync(folder, 0o755);
  for (const path of ['bin', 'srv/git', 'home/kiln']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'bin/kiln'), kilnScript(base), { mode: 0o755 });
  writeFileSync(join(folder, 'bin/docker'), dockerScript(base), { mode: 0o755 });
  writeFileSync(join(home, '.gitconfig'), GIT_CONFIG);
  writeFileSync(join(home, '.curlrc'), CURL_CONFIG);
  const checkout = join(home, 'kiln');
  for (const part of ['node_modules', 'tree-sitter-grammar']) symlinkSync(join(ROOT, part), join(checkout, part));
  for (const part of ['package.json', 'Dockerfile', 'dist', 'examples']) {
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true, filter: isSource });
  }
}

/** Not what examples that have been started keep for themselves. */
function isSource(path: string): boolean {
  return !path.split(sep).includes('.kiln');
}

/** The images that every reader has under their usual names have others here. */
function kilnScript(base: string): string {
  const kiln = `'${process.execPath}' '${join(ROOT, 'dist/kiln.js')}' "$@"`;
  return `#!/bin/sh
case "$1 $2" in
  'pipeline init') exec ${kiln} --base '${base}' --postgres '${POSTGRES_IMAGE}' ;;
  'build '*) exec ${kiln} --base '${base}' ;;
  *) exec ${kiln} ;;
esac
`;
}

/** A base of this machine stands in for the image of Node. Clients without buildx say that they miss it. */
function dockerScript(base: string): string {
  const docker = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'docker'))
    .find(existsSync);
  return `#!/bin/sh
case "$1" in
  build)
    shift
    '${docker}' build --build-arg NODE_IMAGE='${base}' "$@" 2>"$0.said"
    code=$?
    sed '/^DEPRECATED: The legacy builder/,/^$/d' "$0.said" >&2
    exit $code ;;
  *) exec '${docker}' "$@" ;;
esac
`;
}

/** A reader types slower than a server starts. */
const CURL_CONFIG = 'silent\nretry = 9\nretry-delay = 1\nretry-all-errors\n';

const GIT_CONFIG = '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n';

function environment(folder: string, home: string, port: number): NodeJS.ProcessEnv {
  const { DOCKER_HOST, npm_config_cache: cache } = process.env;
  return {
    PATH: [join(folder, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    PORT: String(port),
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    ...(DOCKER_HOST ? { DOCKER_HOST } : {}),
    ...(cache ? { npm_config_cache: cache } : {}),
  };
}

function clearEngine(name: string): void {
  const filters = [`name=${name}`, `network=${name}`, `ancestor=${name}:main`];
  const containers = filters.flatMap((filter) => docker('container', 'ls', '--all', '--quiet', '--filter', filter));
  if (containers.length > 0) docker('container', 'rm', '--force', '--volumes', ...containers);
  const networks = docker('network', 'ls', '--quiet', '--filter', `name=${name}`);
  if (networks.length > 0) docker('network', 'rm', ...networks);
  const images = docker('image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', name);
  if (images.length > 0) docker('image', 'rm', '--force', ...images);
}

function docker(...words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync('docker', words, { encoding: 'utf8' });
  return (stdout ?? '').split('\n').filter((line) => line !== '');
}
