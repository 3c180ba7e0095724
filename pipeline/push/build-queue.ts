/**
 * The builds of a repository, one after the other, in the order of their tickets: numbered files in `kiln/queue`, each
 * with its process in it. It is the turn of the lowest ticket whose process lives, so nothing has to be taken over from
 * a process that was killed: its ticket just does not count.
 */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../files/is-alive.ts';
import { systemReason } from '../../files/system-reason.ts';
import type { Repository } from '../git/repository.ts';
import { recordReference } from '../ledger/ledger-reference.ts';
import { PushRefusal } from './settings.ts';

export interface QueuedBuild {
  readonly branch: string;
  readonly revision: string;
}

export interface PushedBranch {
  readonly branch: string;
  /** Null where the branch is new. */
  readonly from: string | null;
  readonly to: string;
}

export interface Ticket extends QueuedBuild {
  readonly number: number;
  readonly process: ProcessName;
}

const PAUSE = 100;

export class BuildQueue {
  readonly #repository: string;
  readonly #folder: string;
  readonly #owner: ProcessName;

  /** `owner` is whose tickets it takes. */
  constructor({ sharedFolder }: Pick<Repository, 'sharedFolder'>, name = 'queue', owner = ownProcess()) {
    this.#repository = sharedFolder;
    this.#folder = join(sharedFolder, 'kiln', name);
    this.#owner = owner;
  }

  /** Lists the tickets whose processes are alive, the one whose turn it is first. */
  tickets(): readonly Ticket[] {
    return this.#numbers()
      .flatMap((number) => ticketIn(this.#file(number), number))
      .filter(({ process }) => isRunning(process));
  }

  /**
   * Resolves when it is the turn of this build, and returns a function that ends the turn. `waiting` is called with
   * each build before it.
   */
  async takeTurn(build: QueuedBuild, waiting: (ticket: Ticket) => void, signal: AbortSignal): Promise<() => void> {
    const number = this.enter(build);
    const leave = (): void => rmSync(this.#file(number), { force: true });
    try {
      await this.#waitFor(number, waiting, signal);
      this.#removeDead();
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Ends all turns of the owner, also those that another process has taken for it. */
  leave(): void {
    for (const { number, process } of this.tickets())
      if (process.pid === this.#owner.pid) rmSync(this.#file(number), { force: true });
  }

  async #waitFor(number: number, waiting: (ticket: Ticket) => void, signal: AbortSignal): Promise<void> {
    let told: number | undefined;
    for (;;) {
      const [first] = this.tickets();
      if (first === undefined || first.number === number) return;
      if (first.number !== told) waiting(first);
      told = first.number;
      await sleep(PAUSE, undefined, { signal });
    }
  }

  /**
   * Gives the number of the owner's new ticket. A number that was highest when it was chosen may not be any more: then one
   * that came later would be overtaken.
   */
  enter(build: QueuedBuild): number {
    const draft = join(this.#folder, `draft-${process.pid}`);
    this.#writeDraft(draft, JSON.stringify({ ...build, process: this.#owner }));
    try {
      for (;;) {
        const number = (this.#numbers().at(-1) ?? 0) + 1;
        if (!isLinked(draft, this.#file(number))) continue;
        if (this.#numbers().at(-1) === number) return number;
        rmSync(this.#file(number), { force: true });
      }
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** Writes a ticket that all who may push can read, and remove when this process is gone. */
  #writeDraft(draft: string, text: string): void {
    try {
      this.#makeFolder();
      writeFileSync(draft, text);
      chmodSync(draft, 0o644);
    } catch (error) {
      const what = `the queue of builds in \`${this.#folder}\` cannot be written: ${systemReason(error)}`;
      throw new PushRefusal(`${what}; whoever pushes needs the right to write there`);
    }
  }

  /** Makes the folder with the same mode as git's folder of references, which follows `core.sharedRepository`. */
  #makeFolder(): void {
    const mode = statSync(join(this.#repository, 'refs')).mode & 0o7777;
    for (const folder of [dirname(this.#folder), this.#folder]) {
      if (existsSync(folder)) continue;
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, mode);
    }
  }

  /**
   * Removes the tickets of dead processes. Only numbers below the first live one are removed, since higher ones may be
   * about to be written.
   */
  #removeDead(): void {
    const live = this.tickets().map(({ number }) => number);
    const first = live[0] ?? 0;
    for (const number of this.#numbers()) if (number < first) rmSync(this.#file(number), { force: true });
  }

  #numbers(): readonly number[] {
    const names = readNames(this.#folder).filter((name) => /^\d+$/.test(name));
    return names.map(Number).sort((a, b) => a - b);
  }

  #file(number: number): string {
    return join(this.#folder, String(number));
  }
}

/** Links a file; false where the name is taken. The file is complete from the first moment. */
function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads a ticket; empty where it has been removed in the meantime. */
function ticketIn(file: string, number: number): readonly Ticket[] {
  try {
    return [{ ...(JSON.parse(readFileSync(file, 'utf8')) as Omit<Ticket, 'number'>), number }];
  } catch {
    return [];
  }
}

// ── Process name ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A process, also after its number has been given to another one. */
export interface ProcessName {
  readonly pid: number;
  /** The time when it began, as the system counts; null where the system does not state it. */
  readonly began: string | null;
}

export function ownProcess(): ProcessName {
  return processName(process.pid);
}

function processName(pid: number): ProcessName {
  return { pid, began: statusOf(pid)?.began ?? null };
}

export function isRunning({ pid, began }: ProcessName): boolean {
  if (!isAlive(pid)) return false;
  const now = statusOf(pid);
  // If the system hides the processes of others, it is only known that one with this id exists.
  return now === undefined || (!now.isOver && (began === null || now.began === began));
}

/** The 22nd word of `/proc/<pid>/stat`; the second one is a name in brackets that may hold anything. */
function statusOf(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...words] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { isOver: state === 'Z', began: words[18] ?? null };
  } catch {
    return undefined;
  }
}

// ── Push turn ────────────────────────────────────────────────────────────────────────────────────────────────────────

// One push to a branch at a time, from its check until git has moved the branch. Two that were checked at once would both
// be accepted, and git would refuse the second one in words of its own. The hook that checks a push is over before git
// moves the branch, so the turn belongs to the process that has called it, which goes on to call `post-receive`.

/** Resolves when it is the turn of the push on all of its branches, and gives what ends it. */
export async function takePushTurn(
  repository: Repository,
  pushed: readonly PushedBranch[],
  waiting: (ticket: Ticket) => void,
): Promise<() => void> {
  const left: (() => void)[] = [];
  // All pushes take the turns in the same order: two pushes of two branches must not wait for each other.
  for (const { branch, to } of pushed.toSorted((a, b) => (a.branch < b.branch ? -1 : 1))) {
    const queue = queueOf(repository, branch);
    left.push(await queue.takeTurn({ branch, revision: to }, waiting, new AbortController().signal));
  }
  return () => {
    for (const leave of left) leave();
  };
}

/** Ends the turn, in the hook that git calls when the branches have moved. */
export function endPushTurn(repository: Repository, pushed: readonly PushedBranch[]): void {
  for (const { branch } of pushed) queueOf(repository, branch).leave();
}

function queueOf(repository: Repository, branch: string): BuildQueue {
  const name = recordReference(repository, 'builds', branch).split('/').at(-1);
  return new BuildQueue(repository, `push-${name}`, processName(process.ppid));
}
