/**
 * `git cat-file` as one process that stays open: names of objects go in, and objects come out. It ends with this process, or
 * when another repository is read.
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Repository } from './repository.ts';
import { GIT_SETTINGS, notRun } from './run-git.ts';

const CHUNK = 65_536;
const LINE_BREAK = 0x0a;

let last: { readonly repository: Repository; readonly process: CatFile } | undefined;

export function catFile(repository: Repository): CatFile {
  if (last?.repository === repository && last.process.isOpen) return last.process;
  last?.process.close();
  last = { repository, process: new CatFile(repository) };
  return last.process;
}

/** Git has ended instead of answering. The message is what it wrote about that. */
export class CatFileEnded extends Error {}

class CatFile {
  readonly #input: number;
  readonly #output: number;
  readonly #errors: number;
  #read: Buffer = Buffer.alloc(0);
  isOpen = true;

  /** Node's own pipes cannot be read until there is something in them, so these are named ones. */
  constructor({ gitFolder, environment }: Repository) {
    const folder = mkdtempSync(join(tmpdir(), 'kiln-git-'));
    try {
      const [input, output, errors] = [join(folder, 'in'), join(folder, 'out'), join(folder, 'errors')];
      execFileSync('mkfifo', [input, output], { env: { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin` } });
      // Opened for reading and writing, a pipe does not wait for its other end. Git gets one end of each alone: it ends
      // when the other one is closed, also where this process is killed.
      const both = [openSync(input, 'r+'), openSync(output, 'r+')];
      const ends = [openSync(input, 'r'), openSync(output, 'w'), openSync(errors, 'w')];
      [this.#input, this.#output, this.#errors] = [openSync(input, 'w'), openSync(output, 'r'), openSync(errors, 'r')];
      const words = [...GIT_SETTINGS, `--git-dir=${gitFolder}`, 'cat-file', '--batch'];
      // Ctrl-C is for Kiln alone.
      const child = spawn('git', words, { cwd: gitFolder, env: environment, stdio: ends, detached: true });
      child.on('error', () => undefined).unref();
      for (const end of [...both, ...ends]) closeSync(end);
      if (child.pid === undefined) throw notRun(Object.assign(new Error(), { code: 'ENOENT' }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const end of [this.#input, this.#output, this.#errors]) closeSync(end);
  }

  /** The line that git writes about the object: `<id> <type> <size>`, or that there is no such object. */
  head(name: string): string {
    try {
      writeSync(this.#input, `${name}\n`);
    } catch {
      throw this.#ended();
    }
    let end = this.#read.indexOf(LINE_BREAK);
    for (; end < 0; end = this.#read.indexOf(LINE_BREAK)) {
      const chunk = Buffer.alloc(CHUNK);
      this.#read = Buffer.concat([this.#read, chunk.subarray(0, this.#next(chunk))]);
    }
    const line = this.#read.toString('utf8', 0, end);
    this.#read = this.#read.subarray(end + 1);
    return line;
  }

  /** What follows the head of an object. Nothing is kept of it where it is not wanted. */
  content(size: number, isWanted: boolean): Buffer | undefined {
    const content = Buffer.allocUnsafe(isWanted ? size + 1 : CHUNK);
    let at = this.#read.copy(content, 0, 0, size + 1);
    this.#read = this.#read.subarray(at);
    for (; at < size + 1; ) at += this.#next(isWanted ? content.subarray(at) : content.subarray(0, size + 1 - at));
    return isWanted ? content.subarray(0, size) : undefined;
  }

  #next(into: Buffer): number {
    const length = readSync(this.#output, into);
    if (length === 0) throw this.#ended();
    return length;
  }

  #ended(): CatFileEnded {
    const said = readFileSync(this.#errors, 'utf8');
    this.close();
    return new CatFileEnded(said);
  }
}
