/** Commands of an image as processes of their own, with what all of them have said. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../../bench/api/free-port.ts';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { ReleaseChain } from '../../../compiler/definition/migration.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';

const MAIN = resolve(import.meta.dirname, '../../../dist/runtime/main.mjs');

/** The application of an image. */
export interface ImageFiles {
  readonly definition: Definition;
  /** The module with the code of hooks. */
  readonly code?: string;
  readonly chain?: ReleaseChain;
}

export class ImageProcesses {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kiln-jobs-'));
  readonly #started = new Set<ChildProcess>();
  output = '';

  constructor({ definition, code, chain }: ImageFiles) {
    mkdirSync(join(this.#folder, 'hooks'));
    if (code) writeFileSync(join(this.#folder, 'hooks/hooks.mjs'), code);
    if (chain) writeFileSync(join(this.#folder, 'releases.json'), JSON.stringify(chain));
    writeFileSync(join(this.#folder, 'definition.json'), definitionText(definition));
    writeFileSync(join(this.#folder, 'openapi.json'), '{}');
  }

  start(command: 'serve' | 'work' | 'migrate', environment: Readonly<Record<string, string>>): ChildProcess {
    const own = { KILN_APP: this.#folder, HOST: '127.0.0.1', PORT: '0', SHUTDOWN_GRACE: '0' };
    const env = { ...process.env, ...own, ...environment };
    const child = spawn(process.execPath, [MAIN, command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (this.output += String(chunk)));
    this.#started.add(child.once('exit', () => this.#started.delete(child)));
    return child;
  }

  /** The port of a server that is ready. */
  async serve(environment: Readonly<Record<string, string>>): Promise<{ child: ChildProcess; port: number }> {
    const port = await freePort();
    const child = this.start('serve', { ...environment, PORT: String(port) });
    const isReady = async () => (await ask(port, '/readyz').catch(() => null))?.status === 200;
    await until(isReady, { otherwise: () => this.output.slice(-3000) });
    return { child, port };
  }

  async kill(): Promise<void> {
    await Promise.all([...this.#started].map((child) => ended(child, 'SIGKILL')));
    this.output = '';
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Its exit code. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  return (await exit)[0] as number | null;
}
