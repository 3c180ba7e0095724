/** Runs the git program, without a shell and until it ends: words and bytes in, bytes out. */
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { systemReason } from '../../files/system-reason.ts';

export interface GitRun {
  readonly folder: string;
  readonly environment: Environment;
  readonly input?: Uint8Array | string;
}

export interface GitResult {
  /** 0 where git did it. */
  readonly status: number;
  readonly bytes: Buffer;
  readonly stderr: string;
}

/** Settings that would change what Kiln writes, or how long it waits. */
const GIT_SETTINGS = [
  'i18n.commitEncoding=UTF-8',
  // A release that a reference names is on the disk: a machine that loses power keeps it. Older versions ignore this.
  'core.fsync=committed',
  'core.filesRefLockTimeout=2000',
].flatMap((setting) => ['-c', setting]);

export function runGit(words: readonly string[], { folder, environment, input = '' }: GitRun): GitResult {
  const options = { cwd: folder, env: environment, input, maxBuffer: Number.POSITIVE_INFINITY };
  const { status, signal, stdout, stderr, error } = spawnSync('git', [...GIT_SETTINGS, ...words], options);
  // Git may end before it has read all that it is given; what it says then is in its status.
  const isClosedPipe = (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
  if (error && !(isClosedPipe && status !== null)) throw notRun(error);
  if (status === null) throw new GitRefusal('failed', `git was ended by ${signal}`);
  return { status, bytes: stdout, stderr: stderr.toString('utf8') };
}

/** The text that a command gives, without the line break at its end. */
export function lineOf({ bytes }: GitResult): string {
  return bytes.toString('utf8').replace(/\n$/, '');
}

function notRun(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT')
    return new GitRefusal('git-missing', 'Kiln needs the program `git`, which is not installed');
  return new GitRefusal('failed', `git cannot be run: ${systemReason(error)}`, { cause: error });
}

// ── Git refusal ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Git, or the repository, cannot do what Kiln needs. The message is a sentence for the user, without a full stop. */
export class GitRefusal extends Error {
  readonly kind: GitRefusalKind;

  constructor(kind: GitRefusalKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

type GitRefusalKind =
  | 'git-missing'
  | 'git-too-old'
  | 'not-a-repository'
  | 'foreign-repository'
  | 'unknown-revision'
  | 'shallow'
  | 'missing-object'
  | 'damaged-object'
  | 'too-large'
  | 'bad-name'
  | 'bad-settings'
  | 'failed';

const UNSHALLOW = 'run `git fetch --unshallow`, or set `fetch-depth: 0` where a CI job checks it out';

export function shallowRefusal(why: string): GitRefusal {
  return new GitRefusal('shallow', `this is a shallow clone, so ${why}; ${UNSHALLOW}`);
}

/** `act` goes on from "git cannot". */
export function gitFailure(act: string, stderr: string): GitRefusal {
  return new GitRefusal('failed', `git cannot ${act}: ${reasonIn(stderr)}`);
}

/** The first line that git marks as the error, in the words that Kiln has for it. */
function reasonIn(stderr: string): string {
  if (stderr.includes('No space left on device')) return 'the disk is full';
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((each) => /^(fatal|error): /.test(each)) ?? lines[0] ?? 'it does not say why';
  return line.replace(/^(fatal|error): /, '').replace(/\.$/, '');
}

// ── Git environment ──────────────────────────────────────────────────────────────────────────────────────────────────

// The environment in which git runs. What the user has configured stays, since `safe.directory`, proxies and credentials
// are there, and the plumbing that Kiln calls hardly listens to the rest. The variables that bind git to a repository
// are taken out: a hook leaves them to all that it starts, whichever repository that is about.

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

/** The variables that name the objects of a push until it is accepted. Git sees those objects only through them. */
const OBJECTS = ['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_QUARANTINE_PATH', 'GIT_SHALLOW_FILE'];

const FIXED: Environment = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  // A revision is what its hash says, not what a machine has put in its place.
  GIT_NO_REPLACE_OBJECTS: '1',
  // Reference logs need a committer: a build machine need not have a name.
  GIT_COMMITTER_NAME: 'Kiln',
  GIT_COMMITTER_EMAIL: 'kiln@localhost',
};

/** An environment that is bound to no repository. */
export function freeEnvironment(outer: Environment): Environment {
  return { ...without(outer, [...BINDING, ...OBJECTS, 'LANGUAGE']), ...FIXED };
}

/** The environment of a command in the current folder: there `GIT_DIR` counts, as it does for git itself. */
export function environmentHere(outer: Environment): Environment {
  return { ...freeEnvironment(outer), ...only(outer, ['GIT_DIR', 'GIT_WORK_TREE', ...OBJECTS]) };
}

/**
 * The environment of a repository that has been found: the objects of a push stay visible if the push is to this
 * repository.
 */
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
