import { mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemReason } from '../../files/system-reason.ts';
import { freeEnvironment } from '../git/git-environment.ts';
import { gitFailure } from '../git/git-refusal.ts';
import { askGit, openRepository, type Repository } from '../git/repository.ts';
import { lineOf, runGit } from '../git/run-git.ts';
import { PushRefusal } from './push-refusal.ts';

interface AdoptedRepository {
  readonly repository: Repository;
  readonly isNew: boolean;
}

/** The bare repository in this folder; a new one where there is nothing. */
export function adoptRepository(folder: string, branch: string): AdoptedRepository {
  const isNew = isFree(folder);
  if (isNew) makeBare(folder, branch);
  return { repository: openBare(folder), isNew };
}

/** The repository of this very folder: not one that the folder happens to be in. */
export function openBare(folder: string): Repository {
  const repository = openRepository(folder);
  const isItself = realpathSync(repository.gitFolder) === realpathSync(folder);
  const isBare = lineOf(askGit(repository, ['rev-parse', '--is-bare-repository'])) === 'true';
  if (isItself && isBare) return repository;
  const advice = 'name one that was made with `git init --bare`, or a folder that does not exist yet';
  throw new PushRefusal(`\`${resolve(folder)}\` is not a bare repository; ${advice}`);
}

function isFree(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats === undefined || (stats.isDirectory() && readdirSync(folder).length === 0);
}

function makeBare(folder: string, branch: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new PushRefusal(`\`${folder}\` cannot be made: ${systemReason(error)}`);
  }
  const run = { folder, environment: freeEnvironment(process.env) };
  for (const words of [
    ['init', '--quiet', '--bare', '.'],
    ['symbolic-ref', 'HEAD', `refs/heads/${branch}`],
  ]) {
    const { status, stderr } = runGit(words, run);
    if (status !== 0) throw gitFailure(`make a repository in \`${folder}\``, stderr);
  }
}
