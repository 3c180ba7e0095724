/** A repository with a program in it, and changes to it: each a field more, committed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kilnProgram } from '../compile/generate.ts';
import { git } from './commands.ts';

export interface Project {
  readonly name: string;
  readonly folder: string;
  /** Commits the next change. */
  change(): void;
  remove(): void;
}

const BLOG = readFileSync(new URL('../api/blog.kiln', import.meta.url), 'utf8');

/** The blog has the same endpoints as the servers by hand in `bench/api/peers`. */
export function blogProject(): Project {
  return projectOf('blog', [{ path: 'blog.kiln', text: BLOG }]);
}

export function manyModels(models: number): Project {
  return projectOf(`models-${models}`, kilnProgram(models));
}

function projectOf(name: string, sources: readonly { readonly path: string; readonly text: string }[]): Project {
  const folder = mkdtempSync(join(tmpdir(), `kiln-bench-${name}-`));
  for (const { path, text } of sources) writeFileSync(join(folder, path), text);
  writeFileSync(join(folder, 'kiln.json'), `${JSON.stringify({ name: `kiln-bench-${name}` })}\n`);
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  commit(folder, 'the first');
  const [first] = sources;
  let changes = 0;
  return {
    name,
    folder,
    change() {
      changes += 1;
      const file = join(folder, first?.path ?? '');
      writeFileSync(file, withField(readFileSync(file, 'utf8'), changes));
      commit(folder, `change ${changes}`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function commit(folder: string, message: string): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', message);
}

function withField(text: string, at: number): string {
  return text.replace(/^model \w+ \{\n/m, (head) => `${head}  field extra_${at} { type string, default "x" }\n`);
}
