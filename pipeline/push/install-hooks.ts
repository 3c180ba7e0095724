/** The hooks of a repository: two lines of shell each, which call this very Kiln. Hooks of others are left alone. */
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemReason } from '../../files/system-reason.ts';
import { writeWhole } from '../../files/write-file.ts';
import { askGit, type Repository } from '../git/repository.ts';
import { lineOf } from '../git/run-git.ts';
import { PushRefusal } from './push-refusal.ts';

const HOOKS = ['pre-receive', 'post-receive'] as const;

type HookName = (typeof HOOKS)[number];

/** The program and its first words, as absolute paths: hooks run in another folder. */
type KilnCall = readonly string[];

const MARK = '# Written by `kiln pipeline init`.';

/** Nothing is written where one of them cannot be. */
export function mustAllowHooks(repository: Repository): void {
  const folder = hooksFolder(repository);
  const configured = lineOf(askGit(repository, ['config', '--get', 'core.hooksPath']));
  if (configured !== '' && resolve(repository.gitFolder, configured) !== folder)
    throw new PushRefusal(`hooks are taken from \`${configured}\`, as \`core.hooksPath\` says; unset it first`);
  const foreign = HOOKS.map((name) => join(folder, name)).find(isForeign);
  if (foreign === undefined) return;
  const advice = 'move it away, and call it from a hook of your own if both are to run';
  throw new PushRefusal(`\`${foreign}\` is a hook that Kiln did not write, so it stays as it is; ${advice}`);
}

export function installHooks(repository: Repository, kiln: KilnCall): void {
  const folder = hooksFolder(repository);
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of HOOKS) writeHook(join(folder, name), hookText(name, kiln));
  } catch (error) {
    if (error instanceof PushRefusal) throw error;
    throw new PushRefusal(`the hooks cannot be written to \`${folder}\`: ${systemReason(error)}`);
  }
}

function hooksFolder({ sharedFolder }: Repository): string {
  return join(sharedFolder, 'hooks');
}

function writeHook(file: string, text: string): void {
  const refusal = writeWhole(file, text);
  if (refusal !== undefined) throw new PushRefusal(refusal);
  chmodSync(file, 0o755);
}

function hookText(name: HookName, kiln: KilnCall): string {
  return `#!/bin/sh\n${MARK}\nexec ${[...kiln, 'pipeline', name].map(quoted).join(' ')}\n`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function isForeign(file: string): boolean {
  try {
    return !readFileSync(file, 'utf8').includes(MARK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new PushRefusal(`\`${file}\` cannot be read: ${systemReason(error)}`);
  }
}
