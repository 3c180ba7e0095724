/**
 * The branches that a repository builds, and the images for it: settings in its git configuration, where `git config`
 * changes them.
 */

import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { systemReason } from '../../files/system-reason.ts';
import { makeFolder, writeWhole } from '../../files/write-file.ts';
import { OWN_BASE } from '../bake/bake.ts';
import { imageTags } from '../bake/build-names.ts';
import { configuredValues, isImageName } from '../git/project-settings.ts';
import { askGit, FOLDER_SETTING, git, openRepository, type Repository } from '../git/repository.ts';
import { freeEnvironment, GitRefusal, gitFailure, lineOf, runGit } from '../git/run-git.ts';

export interface PushSettings {
  /** The folder of the project in the repository's tree; empty for the top. */
  readonly folder: string;
  /** Pushes to these build. */
  readonly branches: readonly string[];
  /** The image of the runtime. */
  readonly base: string;
  /** The image that releases are tested with. */
  readonly postgres: string;
  /** The image without a tag, in the registry that tested images are pushed to; null where they stay in the engine. */
  readonly push: string | null;
  /** Whether a push may add releases, as a CI job does. They are compiled again. */
  readonly takesReleases: boolean;
}

export const DEFAULT_BRANCH = 'main';
export const DEFAULT_POSTGRES = 'postgres:18';

const BRANCH = 'kiln.branch';
const BASE = 'kiln.base';
const POSTGRES = 'kiln.postgres';
const PUSH = 'kiln.push';
/** The setting that only `git config` changes. */
const LEDGER = 'kiln.ledger';

export function readSettings(repository: Repository): PushSettings {
  const configured = configuredValues(repository);
  const valuesOf = (key: string) => configured(key).filter((value) => value !== '');
  const branches = valuesOf(BRANCH);
  return {
    folder: repository.folder,
    branches: branches.length > 0 ? branches : [DEFAULT_BRANCH],
    base: valuesOf(BASE).at(-1) ?? OWN_BASE,
    postgres: valuesOf(POSTGRES).at(-1) ?? DEFAULT_POSTGRES,
    push: valuesOf(PUSH).at(-1) ?? null,
    takesReleases: valuesOf(LEDGER).at(-1) === 'push',
  };
}

/** Checks the names of branches before there is a repository. */
export function mustNameBranches(branches: readonly string[]): void {
  const run = { folder: '.', environment: freeEnvironment(process.env) };
  const wrong = branches.find((branch) => runGit(['check-ref-format', `refs/heads/${branch}`], run).status !== 0);
  if (wrong !== undefined) throw new PushRefusal(`\`${wrong}\` cannot name a branch`);
  mustHaveOwnTags(branches);
}

/**
 * Rejects branches whose tags would be equal: tags allow fewer characters than branches, and `feature-x` must mean one
 * branch.
 */
function mustHaveOwnTags(branches: readonly string[]): void {
  const names = new Map<string, string>();
  for (const name of new Set(branches)) {
    const tag = imageTags('', name).branch;
    const other = names.get(tag);
    if (other !== undefined) throw new PushRefusal(`\`${other}\` and \`${name}\` would have the same tag, \`${tag}\``);
    names.set(tag, name);
  }
}

/** The branch and the revision are the tags, so none is given. */
export function mustNameImage(name: string): void {
  if (isImageName(name)) return;
  throw new PushRefusal(`\`${name}\` cannot name an image; give one without a tag, as in \`ghcr.io/acme/blog\``);
}

/** The folder as git names it: without a slash at either end, and never outside of the tree. */
export function folderInTree(given: string): string {
  const folder = posix.normalize(given.replaceAll('\\', '/')).replace(/^\.?\/+|\/+$/g, '');
  if (folder === '.' || folder === '') return '';
  if (!folder.split('/').includes('..') && !folder.includes('\n') && !given.startsWith('/')) return folder;
  throw new PushRefusal(`\`${given}\` is not a folder in the repository; name it from the top, as in \`apps/blog\``);
}

/** Writes the settings that differ from their defaults. */
export function writeSettings(repository: Repository, settings: PushSettings): void {
  const { folder, branches, base, postgres, push } = settings;
  const values: readonly (readonly [string, readonly string[]])[] = [
    [FOLDER_SETTING, folder === '' ? [] : [folder]],
    [BRANCH, branches],
    [BASE, [base]],
    [POSTGRES, [postgres]],
    [PUSH, push === null ? [] : [push]],
  ];
  for (const [key, all] of values) {
    askGit(repository, ['config', '--unset-all', key]);
    for (const value of all)
      git(repository, `write \`${key}\` into its configuration`, ['config', '--local', '--add', key, value]);
  }
}

// ── Push refusal ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Why a push, or what follows it, is not done. The message is a sentence for the user, without a full stop. */
export class PushRefusal extends Error {
  override readonly name = 'PushRefusal';
}

// ── Adopt repository ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The bare repository in this folder; a new one where there is nothing. */
export function adoptRepository(folder: string, branch: string) {
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

// ── Install hooks ────────────────────────────────────────────────────────────────────────────────────────────────────

// The hooks of a repository: two lines of shell each, which call this very Kiln. Hooks of others are left alone.

const HOOKS = ['pre-receive', 'post-receive'] as const;

/** The program and its first words, as absolute paths: hooks run in another folder. */
type KilnCall = readonly string[];

const MARK = '# Written by `kiln pipeline init`.';

/** Throws if a hook cannot be installed, before any hook is written. */
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
  const refusal = writeWhole(file, text, 0o755);
  if (refusal !== undefined) throw new PushRefusal(refusal);
}

function hookText(name: (typeof HOOKS)[number], kiln: KilnCall): string {
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
