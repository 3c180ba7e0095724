/**
 * The environment in which git runs. What the user has configured stays, since `safe.directory`, proxies and credentials
 * are there, and the plumbing that Kiln calls hardly listens to the rest. The variables that bind git to a repository
 * are taken out: a hook leaves them to all that it starts, whichever repository that is about.
 */
import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

const BINDING = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
  'GIT_GRAFT_FILE',
  'GIT_REPLACE_REF_BASE',
  'GIT_CONFIG',
];

/** Where a push keeps its objects until it is accepted. They are seen through these variables only. */
const OBJECTS = ['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_QUARANTINE_PATH', 'GIT_SHALLOW_FILE'];

const FIXED: Environment = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  // A revision is what its hash says, not what a machine has put in its place.
  GIT_NO_REPLACE_OBJECTS: '1',
  // For reference logs, where they are kept: a build machine need not have a name.
  GIT_COMMITTER_NAME: 'Kiln',
  GIT_COMMITTER_EMAIL: 'kiln@localhost',
};

/** Bound to no repository. */
export function freeEnvironment(outer: Environment): Environment {
  return { ...without(outer, [...BINDING, ...OBJECTS, 'LANGUAGE']), ...FIXED };
}

/** For a command in the folder in which the process runs: there `GIT_DIR` counts, as it does for git itself. */
export function environmentHere(outer: Environment): Environment {
  return { ...freeEnvironment(outer), ...only(outer, ['GIT_DIR', 'GIT_WORK_TREE', ...OBJECTS]) };
}

/** For a repository that has been found: the objects of a push are kept in sight where the push is to it. */
export function environmentOf(gitFolder: string, outer: Environment): Environment {
  return { ...freeEnvironment(outer), ...(isAbout(gitFolder, outer) ? only(outer, OBJECTS) : {}) };
}

function isAbout(gitFolder: string, outer: Environment): boolean {
  const { GIT_DIR: named, GIT_OBJECT_DIRECTORY: objects } = outer;
  const own = realPathOf(gitFolder);
  if (named !== undefined && realPathOf(named) === own) return true;
  return objects !== undefined && realPathOf(objects).startsWith(own + sep);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function without(environment: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

function only(environment: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => names.includes(name)));
}
