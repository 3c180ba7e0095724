/**
 * The threads for jobs with custom code, each with one job at a time. Code that blocks or ends its thread takes nothing
 * else with it. A thread is started when it is needed, and ended when it has been idle for a while.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Config } from '../config/config.ts';
import type { ClientOptions } from '../query/connections/driver.ts';
import type { Value } from '../values/value.ts';
import { errorText, type JobEnd, type Task } from './try-job.ts';

/** All that a thread needs, as data. */
export interface ThreadData {
  readonly definition: Definition;
  /** The URL of the module with the custom code; null where all of it is in the definition. */
  readonly hooks: string | null;
  /** Secret ones too. */
  readonly settings: Readonly<Record<string, Value>>;
  readonly config: Config;
  readonly database: ClientOptions;
}

/** What a thread is told, and what it tells. */
export type ToThread = Task | { readonly abort: string };
export type FromThread = JobEnd | 'begun' | 'stored';

/** How long a thread may take to be ready, in milliseconds: many may start at once, on a busy machine. */
const LONGEST_START = 60_000;
/** How long code may take to end when its signal has fired, in milliseconds. */
const ABORT_GRACE = 1000;
/** After this time without a job a thread is ended, in milliseconds. */
const LONGEST_IDLE = 30_000;

export class Threads {
  readonly #data: ThreadData;
  readonly #stored: () => void;
  readonly #idle: Thread[] = [];
  readonly #all = new Set<Thread>();
  #isRetired = false;

  constructor(data: ThreadData, stored: () => void) {
    this.#data = data;
    this.#stored = stored;
  }

  /** `begins` is called when the thread is ready. */
  async run(task: Task, signal: AbortSignal, begins: () => void): Promise<JobEnd> {
    const thread = this.#awake() ?? this.#start();
    try {
      return await thread.run(task, signal, begins);
    } finally {
      if (this.#isRetired) void thread.end();
      else if (thread.isAlive) this.#idle.push(thread.rested(LONGEST_IDLE));
    }
  }

  /** Ends those that are idle, and the others when they become so. */
  retire(): void {
    this.#isRetired = true;
    for (const thread of this.#idle.splice(0)) void thread.end();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #start(): Thread {
    const thread = new Thread(this.#data, this.#stored, () => this.#all.delete(thread));
    this.#all.add(thread);
    return thread;
  }

  /** The one that was idle last. Those that have ended are forgotten. */
  #awake(): Thread | undefined {
    let thread = this.#idle.pop();
    while (thread && !thread.isAlive) thread = this.#idle.pop();
    return thread;
  }
}

class Thread {
  readonly #worker: Worker;
  #hear: ((message: JobEnd | 'begun') => void) | null = null;
  #idleTimer: NodeJS.Timeout | undefined;
  #failure: unknown = new Error('the code has ended the thread of the job');
  isAlive = true;

  constructor(data: ThreadData, stored: () => void, ended: () => void) {
    this.#worker = new Worker(entryOfThreads(), { workerData: data });
    this.#worker.on('message', (message: FromThread) => (message === 'stored' ? stored() : this.#hear?.(message)));
    this.#worker.on('error', (error) => {
      this.#failure = error;
    });
    this.#worker.once('exit', () => {
      this.isAlive = false;
      clearTimeout(this.#idleTimer);
      ended();
      this.#hear?.({ kind: 'failed', error: errorText(this.#failure), isFinal: false });
    });
  }

  async run(task: Task, signal: AbortSignal, begins: () => void): Promise<JobEnd> {
    clearTimeout(this.#idleTimer);
    this.#worker.ref();
    const abort = () => void this.#abort(signal.reason);
    const late = setTimeout(() => void this.#abort('its thread was not ready within 60 s'), LONGEST_START);
    signal.addEventListener('abort', abort, { once: true });
    const end = await new Promise<JobEnd>((resolve) => {
      this.#hear = (message) => {
        clearTimeout(late);
        return message === 'begun' ? begins() : resolve(message);
      };
      this.#worker.postMessage(task satisfies ToThread);
      if (signal.aborted) abort();
    });
    this.#hear = null;
    signal.removeEventListener('abort', abort);
    return end;
  }

  /** Ends it after this time, unless it gets a job. */
  rested(longest: number): this {
    this.#worker.unref();
    this.#idleTimer = setTimeout(() => void this.end(), longest).unref();
    return this;
  }

  async end(): Promise<void> {
    this.isAlive = false;
    await this.#worker.terminate();
  }

  async #abort(reason: unknown): Promise<void> {
    const task = this.#hear;
    this.#worker.postMessage({ abort: errorText(reason) } satisfies ToThread);
    await sleep(ABORT_GRACE, undefined, { ref: false });
    if (task === null || this.#hear !== task) return;
    this.#failure = reason;
    await this.end();
  }
}

/** The bundle of images, seen from its own parts, from the bundle of the command line and from the sources. */
const ENTRIES = { mjs: '../main.mjs', js: '../runtime/main.mjs', ts: '../../dist/runtime/main.mjs' };

function entryOfThreads(): URL {
  const ending = import.meta.url.split('.').at(-1) as keyof typeof ENTRIES;
  return new URL(ENTRIES[ending], import.meta.url);
}
