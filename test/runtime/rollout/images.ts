/** Two releases of a program as images have them: folders, and the runtime of `dist/` in processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../../bench/api/free-port.ts';
import { compile } from '../../../compiler/compile.ts';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Release, ReleaseChain } from '../../../compiler/definition/migration.ts';
import { releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { openApiText } from '../../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { storageFingerprint } from '../../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { until } from '../../support/until.ts';

export interface Image {
  readonly definition: Definition;
  readonly fingerprint: string;
  readonly folder: string;
}

/** Each one follows the one before it. */
export function imagesOf(sources: readonly string[]): readonly Image[] {
  const releases: Release[] = [];
  let previous: Definition | undefined;
  return sources.map((text, at) => {
    const definition = definitionOf(text);
    const fingerprint = storageFingerprint(definition);
    const own = previous ? releaseBetween(previous, definition) : { steps: [] };
    releases.push({ revision: `${at + 1}`.padStart(40, '0'), fingerprint, ...own });
    previous = definition;
    return { definition, fingerprint, folder: imageFolder(definition, [...releases]) };
  });
}

export function removeImages(images: readonly Image[]): void {
  for (const { folder } of images) rmSync(folder, { recursive: true, force: true });
}

function definitionOf(text: string): Definition {
  const { definition, diagnostics } = compile([{ path: 'main.kiln', text }], () => undefined);
  if (!definition) throw new Error(`the program has errors: ${JSON.stringify(diagnostics)}\n${text}`);
  return definition;
}

function imageFolder(definition: Definition, releases: readonly Release[]): string {
  const schema = schemaFromDefinition(definition);
  const chain: ReleaseChain = { version: 1, releases, schema, schemaSql: schemaSql(schema) };
  const folder = mkdtempSync(join(tmpdir(), 'kiln-rollout-'));
  writeFileSync(join(folder, 'definition.json'), definitionText(definition));
  writeFileSync(join(folder, 'releases.json'), JSON.stringify(chain));
  const document = openApiFromDefinition(definition, { title: 'rollout', version: '1' });
  writeFileSync(join(folder, 'openapi.json'), openApiText(document));
  return folder;
}

// ── Its commands ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ImageServer {
  readonly url: string;
  isReady(): Promise<boolean>;
  /** Until it is. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const MAIN = resolve(import.meta.dirname, '../../../dist/runtime/main.mjs');
const PATIENCE_MS = 60_000;

export async function serveImage({ folder }: Image, databaseUrl: string, more = {}): Promise<ImageServer> {
  const port = await freePort();
  // Traffic has moved by the end of the grace. A request that a slow machine keeps waiting has not failed.
  const environment = { PORT: String(port), SHUTDOWN_GRACE: '300ms', DATABASE_ACQUIRE_TIMEOUT: '60s', ...more };
  const { child, said } = started(folder, databaseUrl, ['serve'], environment);
  const url = `http://127.0.0.1:${port}`;
  const otherwise = () => said.join('\n');
  const answers = (path: string) =>
    until(
      async () => {
        if (child.exitCode !== null) throw new Error(`the server has ended:\n${otherwise()}`);
        return (await statusOf(`${url}${path}`)) === 200;
      },
      { limit: PATIENCE_MS, otherwise },
    );
  await answers('/healthz');
  return {
    url,
    isReady: async () => (await statusOf(`${url}/readyz`)) === 200,
    ready: () => answers('/readyz'),
    stop: () => stopped(child),
  };
}

/** 0 where nobody answers. */
async function statusOf(url: string): Promise<number> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await exit;
}

/** Refuses any exit code but 0. */
export async function migrateImage({ folder }: Image, databaseUrl: string, ...flags: readonly string[]): Promise<void> {
  const { child, said } = started(folder, databaseUrl, ['migrate', ...flags]);
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`migrate ended with ${code}:\n${said.join('\n')}`);
}

interface Started {
  readonly child: ChildProcess;
  /** The last lines of what it wrote. */
  readonly said: string[];
}

const MOST_LINES = 40;

function started(folder: string, databaseUrl: string, words: readonly string[], more = {}): Started {
  const environment = { DATABASE_URL: databaseUrl, KILN_APP: folder, HOST: '127.0.0.1', LOG_LEVEL: 'warn', ...more };
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const said: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      said.push(line);
      if (said.length > MOST_LINES) said.shift();
    });
  }
  return { child, said };
}
