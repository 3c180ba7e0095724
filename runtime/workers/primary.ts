/**
 * `WORKERS=n`: one process that serves nothing itself, and n that share its port. It replaces those that crash, passes
 * the signal to stop on to all of them, and adds up their metrics.
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { isMetricsRequest, isReady, type MetricsReply, STOP } from './messages.ts';

/**
 * The time in milliseconds below which a worker has lived too short. It is replaced after a pause of this length, so
 * that a fault does not fill the log.
 */
const SHORTEST_LIFE = 5000;

/** Supervises the workers, and resolves with the exit code when all of them have ended. */
export async function superviseWorkers(count: number, log: Logger): Promise<number> {
  const supervisor = new Supervisor(log);
  // One first: what keeps it from starting would keep all the others too, and is told once.
  await supervisor.startFirst();
  for (let at = 1; at < count && supervisor.isServing; at++) supervisor.start();
  return supervisor.ended;
}

class Supervisor {
  /** The exit code. */
  readonly ended: Promise<number>;
  readonly #log: Logger;
  readonly #registry = new AggregatorRegistry();
  readonly #workers = new Set<Worker>();
  #end: (code: number) => void = () => undefined;
  #state: 'starting' | 'serving' | 'stopping' = 'starting';
  #code = 0;

  constructor(log: Logger) {
    this.#log = log;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#stop(signal));
  }

  get isServing(): boolean {
    return this.#state === 'serving';
  }

  /** Resolves when it serves, or when it has ended. */
  async startFirst(): Promise<void> {
    const worker = this.start();
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
      worker.on('message', (message) => {
        if (!isReady(message)) return;
        if (this.#state === 'starting') this.#state = 'serving';
        resolve();
      });
    });
  }

  start(): Worker {
    const worker = cluster.fork();
    const start = performance.now();
    this.#workers.add(worker);
    worker.on('message', (message) => void this.#hear(worker, message));
    // A message to a process that has just ended, or a process that could not be made: the exit says the rest.
    worker.on('error', (error) => this.#log.warn({ err: error }, 'a worker cannot be reached'));
    worker.once('exit', (code, signal) => {
      this.#workers.delete(worker);
      if (this.isServing) void this.#replace({ code, signal, pid: worker.process.pid }, performance.now() - start);
      else this.#left(code);
    });
    return worker;
  }

  async #replace(ended: object, lived: number): Promise<void> {
    this.#log.error(ended, 'a worker has ended: another one takes its place');
    if (lived < SHORTEST_LIFE) await sleep(SHORTEST_LIFE);
    if (this.isServing) this.start();
  }

  #stop(signal: NodeJS.Signals): void {
    if (this.#state === 'stopping') {
      this.#log.warn({ signal }, 'told to stop again: ending at once');
      for (const worker of this.#workers) worker.process.kill('SIGKILL');
      return;
    }
    this.#state = 'stopping';
    this.#log.info({ signal, workers: this.#workers.size }, 'told to stop');
    for (const worker of this.#workers) tellToStop(worker);
    if (this.#workers.size === 0) this.#end(0);
  }

  /** Handles the exit of a worker that could not start, or was told to stop. */
  #left(code: number | null): void {
    if (code !== 0 || this.#state === 'starting') this.#code = 1;
    if (this.#workers.size === 0) this.#end(this.#code);
  }

  async #hear(worker: Worker, message: unknown): Promise<void> {
    if (isReady(message) && this.#state === 'stopping') tellToStop(worker);
    if (!isMetricsRequest(message)) return;
    const text = await this.#registry.clusterMetrics().catch(() => null);
    if (worker.isConnected()) worker.send({ ...message, text } satisfies MetricsReply);
  }
}

/** Tells a worker to stop. One that is not ready yet is told again when it is. */
function tellToStop(worker: Worker): void {
  if (worker.isConnected()) worker.send(STOP);
}
