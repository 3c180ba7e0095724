/** Runs `kiln` as it was built, or in this process, which takes a tenth of the time. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { run } from '../../pipeline/cli/run.ts';

export const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');

export interface KilnRun {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * In a process of its own, without stopping what else the test has running. `more` comes on top of the environment of the
 * tests; what is undefined there is taken out of it.
 */
export function runKiln(words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<KilnRun> {
  return runProgram(process.execPath, [KILN, ...words], more);
}

export function runProgram(program: string, words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<KilnRun> {
  const child = spawn(program, words, { env: { ...process.env, ...more } });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  return new Promise((done) => child.on('close', (status) => done({ status, ...texts })));
}

let last: Promise<unknown> = Promise.resolve();

/** In this process, one command after the other. A test that stops a command, or runs several at once, needs processes. */
export function runKilnHere(
  words: readonly string[],
  more: NodeJS.ProcessEnv = {},
  folder = process.cwd(),
): Promise<KilnRun> {
  const ended = last.then(() => runHere(words, more, folder));
  last = ended.catch(() => undefined);
  return ended;
}

async function runHere(words: readonly string[], more: NodeJS.ProcessEnv, folder: string): Promise<KilnRun> {
  const [out, err] = [new Heard(), new Heard()];
  const all = Object.entries({ ...process.env, ...more }).filter(([, value]) => value !== undefined);
  const restore = [
    replace('env', Object.fromEntries(all)),
    replace('argv', [process.execPath, KILN, ...words]),
    replace('stdout', out),
    replace('stderr', err),
  ];
  const [before, code] = [process.cwd(), process.exitCode];
  process.chdir(folder);
  try {
    await run(words);
    return { status: Number(process.exitCode), out: out.text, err: err.text };
  } finally {
    process.chdir(before);
    process.exitCode = code;
    for (const each of restore) each();
  }
}

/** What the process has under this name from now on, until the result is called. */
function replace(name: 'argv' | 'env' | 'stderr' | 'stdout', value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor;
  Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true });
  return () => Object.defineProperty(process, name, before);
}

/** A pipe that is read to its end. */
class Heard extends Writable {
  readonly #parts: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#parts).toString();
  }

  override _write(part: Buffer, _encoding: string, done: () => void): void {
    this.#parts.push(part);
    done();
  }
}
