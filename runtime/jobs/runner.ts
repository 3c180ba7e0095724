/**
 * Works on jobs: claims those that are due, runs some at the same time, and settles what became of each. Whatever goes
 * wrong on the way, a claim that is not renewed ends by itself, and the job is tried again.
 */
import type { Logger } from 'pino';
import { DEEPEST_JOB, type Job } from '../../compiler/definition/work.ts';
import type { HostSlots } from '../deliver/host-slots.ts';
import { waitAfterWebhook } from '../deliver/webhook.ts';
import type { JobRoutes } from '../endpoints/application.ts';
import { tookLonger } from '../endpoints/work-route.ts';
import { logPlain } from '../observe/log.ts';
import type { JobResult, JobTally } from '../observe/metrics.ts';
import type { Database } from '../query/database.ts';
import {
  backlogOf,
  type ClaimedJob,
  claimJobs,
  countUnfinished,
  forgetFailed,
  giveBack,
  JobLost,
  keepFailed,
  removeJob,
  renewClaims,
  storedKinds,
  tryLater,
  wakeAllLines,
  wakeLines,
} from './job-table.ts';
import type { Threads } from './threads.ts';
import { type JobEnd, tryJob } from './try-job.ts';

/** The jobs of a definition, and where those with code run; without threads, they run beside the others. */
export interface JobCode {
  readonly routes: readonly JobRoutes[];
  readonly threads: Threads | null;
}

interface RunnerOptions {
  readonly database: Database;
  readonly log: Logger;
  /** How many jobs run at the same time. */
  readonly most: number;
  /** The name under which it claims jobs. */
  readonly server: string;
  readonly tally: JobTally;
  /** Where deliveries wait for others to the same host. */
  readonly slots: HostSlots;
}

/** How often each of these is done, in milliseconds. */
const EVERY = { claim: 1000, renew: 10_000, look: 10_000, lines: 30_000, sweep: 10 * 60_000 } as const;

/** A try whose server has died may come on top, so often: a job that ends its server does so no more often. */
const MOST_LOST = 10;

/** So many milliseconds of work are claimed ahead, and so many times as many jobs as run at the same time. */
const AHEAD_FOR = 50;
const MOST_AHEAD = 10;

/** Jobs of one lane keep those of others neither waiting nor from their places. */
type Lane = NonNullable<Job['delivers']> | 'usual';
const LANES = ['file', 'mail', 'webhook', 'usual'] as const satisfies readonly Lane[];

/** Deliveries only wait for other servers, so many of them are under way. */
const MOST_DELIVERIES = { file: 100, mail: 100, webhook: 2500 } as const;

/** The most jobs that are claimed at once. */
const AT_ONCE = 100;

/** The job is given back, and is due after so many seconds. */
class Stopped extends Error {
  readonly seconds: number;
  constructor(message: string, seconds = 0) {
    super(message);
    this.seconds = seconds;
  }
}

export class JobRunner {
  readonly #options: RunnerOptions;
  #code: JobCode;
  /** What reads each kind that this server knows. */
  #readers: ReadonlyMap<string, Reader> = new Map();
  readonly #held = new Map<string, Held>();
  readonly #running: Record<Lane, number> = { file: 0, mail: 0, webhook: 0, usual: 0 };
  /** Those that are claimed, but not begun: where jobs are short, claiming some ahead takes less time than one by one. */
  readonly #ahead: Held[] = [];
  /** The lines that have gone on. */
  readonly #lines = new Set<string>();
  /** How long the last jobs took, in milliseconds. */
  #typical = 1000;
  readonly #timers: readonly NodeJS.Timeout[];
  #claiming: Promise<void> | null = null;
  #isNudged = false;
  /** Whether the last statement of the runner itself went well. */
  #canWork = true;
  #isStopped = false;
  /** How many jobs wait that only other releases can read. */
  unreadable = 0;

  constructor(code: JobCode, options: RunnerOptions) {
    this.#code = code;
    this.#options = options;
    const every = (milliseconds: number, work: () => Promise<void> | void) =>
      setInterval(() => void this.#safely(work), milliseconds).unref();
    this.#timers = [
      every(EVERY.claim, () => this.#tick()),
      every(EVERY.renew, () => this.#renew()),
      every(EVERY.look, () => this.#look()),
      every(EVERY.lines, () => this.#wakeAll()),
      every(EVERY.sweep, () => forgetFailed(options.database)),
    ];
    options.tally.watch(() => backlogOf(options.database, this.#kinds).catch(() => null));
    this.replace(code);
  }

  /** Runs these jobs from the next claim on. */
  replace(code: JobCode): void {
    if (code.threads !== this.#code.threads) this.#code.threads?.retire();
    this.#code = code;
    this.#readers = readersOf(code, []);
    void this.#safely(() => this.#look())
      .then(() => this.#safely(() => this.#wakeAll()))
      .then(() => this.nudge());
  }

  /** There may be jobs to claim. */
  nudge(): void {
    this.#isNudged = true;
    this.#claiming ??= this.#safely(() => this.#claim()).finally(() => {
      this.#claiming = null;
    });
  }

  get #kinds(): readonly string[] {
    return [...this.#readers.keys()];
  }

  /** Claims nothing any more. What has not ended after so many milliseconds is left to other servers. */
  async stop(longest: number): Promise<void> {
    this.#isStopped = true;
    const late = setTimeout(() => this.#abortAll(), longest);
    // A claim that is under way may still bring some.
    await this.#claiming;
    await this.#safely(() => this.#giveBackAhead());
    this.#sendAway([...this.#held.values()]);
    await Promise.all([...this.#held.values()].map(({ ended }) => ended));
    clearTimeout(late);
    await this.#safely(() => wakeLines(this.#options.database, [...this.#lines]));
    for (const timer of this.#timers) clearInterval(timer);
    await this.#code.threads?.close();
  }

  #abortAll(): void {
    for (const { controller } of this.#held.values()) controller.abort(new Stopped('the server stopped'));
  }

  /** The database may be away for a while: then it is tried again. The log says once that it is so, and that it is over. */
  async #safely(work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isNews = this.#canWork && !this.#isStopped;
      if (isNews) this.#options.log.warn({ err: error }, 'no jobs are run: the table of jobs cannot be used');
      this.#canWork = false;
    }
  }

  /** What was claimed ahead a second ago was not as short as it seemed: it is left to other servers. */
  async #tick(): Promise<void> {
    const isLate = performance.now() - (this.#ahead[0]?.since ?? Number.POSITIVE_INFINITY) > EVERY.claim;
    if (isLate) await this.#giveBackAhead();
    this.nudge();
  }

  async #giveBackAhead(): Promise<void> {
    const left = this.#ahead.splice(0).map(({ claimed }) => claimed);
    for (const { id } of left) this.#held.delete(id);
    if (left.length > 0) await giveBack(this.#options.database, left);
  }

  async #claim(): Promise<void> {
    while (this.#isNudged && !this.#isStopped) {
      this.#isNudged = false;
      for (const lane of LANES) await this.#claimIn(lane);
    }
  }

  async #claimIn(lane: Lane): Promise<void> {
    const { database, server } = this.#options;
    const kinds = [...this.#readers].flatMap(([kind, reader]) => (laneOf(reader) === lane ? [kind] : []));
    const wanted = Math.min(AT_ONCE, lane === 'usual' ? this.#wanted() : this.#wantedDeliveries(lane));
    if (wanted <= 0 || kinds.length === 0) return;
    const lines = lane === 'usual' ? [...this.#lines] : [];
    for (const line of lines) this.#lines.delete(line);
    const { jobs, parked } = await claimJobs(database, kinds, wanted, server, lines);
    this.#canWorkAgain();
    for (const job of jobs) this.#hold(job);
    this.#startNext();
    await wakeLines(database, parked);
    // Those that were parked have kept others from being claimed.
    if (parked.length > 0 || jobs.length === AT_ONCE) this.#isNudged = true;
  }

  #wanted(): number {
    const { most } = this.#options;
    const ahead = Math.min(most * MOST_AHEAD, Math.floor((most * AHEAD_FOR) / this.#typical));
    const wanted = most + ahead - this.#running.usual - this.#ahead.length;
    return wanted > ahead / 2 ? wanted : 0;
  }

  /**
   * Receivers that do not answer keep no other delivery waiting. All mails wait for the same server, and so do all files,
   * so none of them is sent away.
   */
  #wantedDeliveries(lane: keyof typeof MOST_DELIVERIES): number {
    const free = MOST_DELIVERIES[lane] - this.#running[lane];
    if (free <= 0 && lane === 'webhook')
      this.#sendAway([...this.#held.values()].filter((held) => laneOf(held) === lane));
    return free;
  }

  /** Makes room for deliveries to other hosts: those that wait for theirs are given back. */
  #sendAway(sending: readonly Held[]): void {
    const waiting = new Map(this.#options.slots.waiting.map(({ id, seconds }) => [id, seconds]));
    for (const { claimed, controller } of sending)
      if (waiting.has(claimed.id)) controller.abort(new Stopped('its host is busy', waiting.get(claimed.id)));
  }

  #canWorkAgain(): void {
    if (!this.#canWork) this.#options.log.info('jobs are run again');
    this.#canWork = true;
  }

  #hold(claimed: ClaimedJob): void {
    const { id, kind } = claimed;
    const reader = this.#readers.get(kind) as Reader;
    const since = performance.now();
    const held = { ...reader, claimed, since, controller: new AbortController(), ended: Promise.resolve() };
    // This server may have claimed the job again, because it could not renew that claim.
    this.#held.get(id)?.controller.abort(new JobLost());
    this.#held.set(id, held);
    if (laneOf(held) === 'usual') this.#ahead.push(held);
    else this.#start(held);
  }

  #startNext(): void {
    while (this.#running.usual < this.#options.most && this.#ahead.length > 0) {
      const next = this.#ahead.shift() as Held;
      if (this.#isHeld(next)) this.#start(next);
    }
  }

  /** Whether the job was not claimed again since. */
  #isHeld(held: Held): boolean {
    return this.#held.get(held.claimed.id) === held;
  }

  #start(held: Held): void {
    const { id, line } = held.claimed;
    const lane = laneOf(held);
    const start = performance.now();
    this.#running[lane]++;
    held.ended = this.#work(held).finally(() => {
      this.#running[lane]--;
      if (lane === 'usual') this.#typical = 0.9 * this.#typical + 0.1 * (performance.now() - start);
      if (this.#isHeld(held)) this.#held.delete(id);
      if (line !== null) this.#lines.add(line);
      this.#startNext();
      this.nudge();
    });
  }

  async #work(held: Held): Promise<void> {
    const start = performance.now();
    const { job } = held.routes;
    const { controller, claimed } = held;
    const abort = () => controller.abort(new Error(tookLonger(job)));
    let late: NodeJS.Timeout | undefined;
    // The time of a delivery begins when it is its turn, and that of code when its thread is ready.
    const begins = () => {
      if (!job.delivers) late = setTimeout(abort, job.timeout * 1000);
    };
    try {
      const end = await this.#try(held, begins).finally(() => clearTimeout(late));
      const result = await this.#settle(held, end, start);
      const error = end.kind === 'failed' ? end.error : undefined;
      if (result) this.#options.tally.count(job.name, result, (performance.now() - start) / 1000, error);
    } catch (error) {
      const isLost = error instanceof JobLost;
      const line = { job: job.name, jobId: claimed.id, ...(isLost ? {} : { err: error }) };
      this.#options.log.warn(line, 'a job could not be ended; it is run again when its claim is over');
    }
  }

  async #try(held: Held, begins: () => void): Promise<JobEnd> {
    const { claimed, routes } = held;
    if (claimed.depth > DEEPEST_JOB) return failed(`more than ${DEEPEST_JOB} jobs have run each other in a chain`);
    if (claimed.attempt > routes.job.retry + 1 + MOST_LOST)
      return failed('the servers that ran it stopped before it ended');
    return this.#perform(held, null, begins);
  }

  #perform(held: Held, failure: string | null, begins = () => {}): Promise<JobEnd> {
    const { claimed, routes, controller, threads } = held;
    const route = failure === null ? routes.actions : routes.onFailure;
    const task = { claimed, job: routes.job.name, failure };
    if (route?.usesHooks && threads) return threads.run(task, controller.signal, begins);
    begins();
    return tryJob(route as NonNullable<typeof route>, task, controller.signal, this.#options.log);
  }

  async #settle(held: Held, end: JobEnd, start: number): Promise<JobResult | null> {
    const { claimed, routes, controller } = held;
    const { database, log } = this.#options;
    const line = { job: routes.job.name, jobId: claimed.id };
    const tried = {
      ...line,
      attempt: claimed.attempt,
      durationMs: Math.round((performance.now() - start) * 1000) / 1000,
    };
    if (end.kind === 'done') {
      logPlain(log, 'info', tried, 'job');
      return 'done';
    }
    const { reason } = controller.signal;
    if (end.kind === 'lost' || reason instanceof JobLost) throw new JobLost();
    if (reason instanceof Stopped) {
      await giveBack(database, [claimed], reason.seconds);
      return null;
    }
    if (end.kind === 'gone') {
      await removeJob(database, claimed);
      log.info(line, 'a job was removed: a record that it was given does not exist any more');
      return 'gone';
    }
    const isLast = end.isFinal || claimed.attempt > routes.job.retry;
    log.warn({ ...tried, isLast, reason: end.error }, 'a job failed');
    const wait = routes.job.delivers === 'webhook' ? waitAfterWebhook : waitAfter;
    if (isLast) await this.#fail(held, end);
    else await tryLater(database, claimed, Math.max(end.retryAfter ?? 0, wait(claimed.attempt)), end.error);
    return isLast ? 'failed' : 'retried';
  }

  /** `on failure` may fail too; then the job is kept as failed without it. One that was never run has nothing to undo. */
  async #fail(held: Held, { error, isGone }: Extract<JobEnd, { readonly kind: 'failed' }>): Promise<void> {
    const { claimed, routes } = held;
    const { database, log } = this.#options;
    // What a webhook does on failure is its `gone`.
    const hasToUndo = claimed.depth <= DEEPEST_JOB && (routes.job.delivers !== 'webhook' || isGone);
    if (routes.onFailure && hasToUndo) {
      const end = await this.#perform({ ...held, controller: new AbortController() }, error);
      if (end.kind === 'done') return;
      const why = end.kind === 'failed' ? end.error : end.kind;
      log.error({ job: routes.job.name, jobId: claimed.id, reason: why }, 'the `on failure` of a job failed');
    }
    await keepFailed(database, claimed, error);
  }

  async #renew(): Promise<void> {
    const held = [...this.#held.values()];
    if (held.length === 0) return;
    const renewed = await renewClaims(
      this.#options.database,
      held.map(({ claimed }) => claimed),
    );
    for (const { claimed, controller } of held) if (!renewed.has(claimed.id)) controller.abort(new JobLost());
  }

  async #wakeAll(): Promise<void> {
    if (this.#code.routes.some(({ job }) => job.inLines)) await wakeAllLines(this.#options.database, this.#kinds);
  }

  /** Finds jobs that other releases have stored, and that this one can read too. */
  async #look(): Promise<void> {
    const { database } = this.#options;
    const kinds = await storedKinds(database);
    this.#readers = readersOf(this.#code, kinds);
    this.unreadable = await countUnfinished(
      database,
      kinds.filter((kind) => !this.#readers.has(kind)),
    );
  }
}

interface Reader {
  readonly routes: JobRoutes;
  readonly threads: Threads | null;
}

interface Held extends Reader {
  readonly claimed: ClaimedJob;
  /** When it was claimed, in milliseconds. */
  readonly since: number;
  readonly controller: AbortController;
  ended: Promise<void>;
}

function laneOf({ routes }: Reader): Lane {
  return routes.job.delivers ?? 'usual';
}

function readersOf({ routes, threads }: JobCode, stored: readonly string[]): ReadonlyMap<string, Reader> {
  const own = routes.map((each): [string, Reader] => [each.kind, { routes: each, threads }]);
  const others = stored.flatMap((kind): readonly [string, Reader][] => {
    const found = routes.find(({ reads }) => reads(kind));
    return found ? [[kind, { routes: found, threads }]] : [];
  });
  return new Map([...others, ...own]);
}

function failed(error: string): JobEnd {
  return { kind: 'failed', error, isFinal: true };
}

const FIRST_WAIT = 5;
const LONGEST_WAIT = 6 * 60 * 60;

/** The seconds before the next try: each time four times as long, and not the same for jobs that have failed together. */
export function waitAfter(attempt: number, random = Math.random()): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 4 ** (attempt - 1)) * (0.8 + 0.4 * random);
}
