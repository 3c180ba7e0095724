/** Runs `kiln` as it was built, without stopping what else the test has running. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

export const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');

export interface KilnRun {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** `more` comes on top of the environment of the tests; what is undefined there is taken out of it. */
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
