import { readdirSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeFolder } from '../../files/write-file.ts';
import { freeEnvironment } from '../git/git-environment.ts';
import { GitRefusal, gitFailure } from '../git/git-refusal.ts';
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
  const repository = repositoryAround(folder);
  const isItself = realpathSync(repository.gitFolder) === realpathSync(folder);
  const isBare = lineOf(askGit(repository, ['rev-parse', '--is-bare-repository'])) === 'true';
  if (isItself && isBare) return repository;
  throw notBare(folder);
}

function repositoryAround(folder: string): Repository {
  try {
    return openRepository(folder);
  } catch (error) {
    throw error instanceof GitRefusal && error.kind === 'not-a-repository' ? notBare(folder) : error;
  }
}

function notBare(folder: string): PushRefusal {
  const advice = 'name one that was made with `git init --bare`, or a folder that does not exist yet';
  return new PushRefusal(`\`${resolve(folder)}\` is not a bare repository; ${advice}`);
}

function isFree(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats === undefined || (stats.isDirectory() && readdirSync(folder).length === 0);
}

function makeBare(folder: string, branch: string): void {
  const refused = makeFolder(folder);
  if (refused) throw new PushRefusal(refused);
  const run = { folder, environment: freeEnvironment(process.env) };
  for (const words of [
    ['init', '--quiet', '--bare', '.'],
    ['symbolic-ref', 'HEAD', `refs/heads/${branch}`],
  ]) {
    const { status, stderr } = runGit(words, run);
    if (status !== 0) throw gitFailure(`make a repository in \`${folder}\``, stderr);
  }
}
