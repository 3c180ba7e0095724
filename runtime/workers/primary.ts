/**
 * `WORKERS=n`: one process that serves nothing itself, and n that share its port. It replaces those that crash, passes
 * the signal to stop on to all of them, and adds up their metrics.
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { isMetricsRequest, STOP } from './messages.ts';

/** In milliseconds: a worker that has lived shorter is replaced after this pause, so that a fault does not fill the log. */
const SHORTEST_LIFE = 5000;

/** Resolves with the exit code when all of them have ended. */
export async function superviseWorkers(count: number, log: Logger): Promise<number> {
  const supervisor = new Supervisor(log);
  // One first: what keeps it from starting would keep all the others too, and is told once.
  if (!(await supervisor.startFirst())) return 1;
  for (let at = 1; at < count; at++) supervisor.start();
  return supervisor.ended;
}

class Supervisor {
  readonly ended: Promise<number>;
  readonly #log: Logger;
  readonly #registry = new AggregatorRegistry();
  #end: (code: number) => void = () => undefined;
  #isStopping = false;
  #wentWell = true;

  constructor(log: Logger) {
    this.#log = log;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    cluster.on('message', (worker, message) => void this.#answer(worker, message));
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#stop(signal));
  }

  /** Whether it listens. */
  startFirst(): Promise<boolean> {
    const worker = this.start();
    return new Promise((resolve) => {
      worker.once('listening', () => resolve(true));
      worker.once('exit', () => resolve(false));
    });
  }

  start(): Worker {
    const worker = cluster.fork();
    const start = performance.now();
    let listens = false;
    worker.once('listening', () => {
      listens = true;
      if (this.#isStopping) worker.send(STOP);
    });
    worker.once('exit', (code, signal) => {
      if (this.#isStopping) this.#left(code);
      else if (listens) void this.#replace({ code, signal, pid: worker.process.pid }, performance.now() - start);
      else this.#left(1);
    });
    return worker;
  }

  async #replace(ended: object, lived: number): Promise<void> {
    this.#log.error(ended, 'a worker has ended: another one takes its place');
    if (lived < SHORTEST_LIFE) await sleep(SHORTEST_LIFE);
    if (!this.#isStopping) this.start();
  }

  #stop(signal: NodeJS.Signals): void {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    if (this.#isStopping) {
      this.#log.warn({ signal }, 'told to stop again: ending at once');
      for (const worker of workers) worker.process.kill('SIGKILL');
      return;
    }
    this.#isStopping = true;
    this.#log.info({ signal, workers: workers.length }, 'told to stop');
    for (const worker of workers) worker.send(STOP);
    if (workers.length === 0) this.#end(0);
  }

  #left(code: number | null): void {
    this.#wentWell &&= code === 0;
    if (Object.keys(cluster.workers ?? {}).length === 0) this.#end(this.#wentWell ? 0 : 1);
  }

  /** A worker was asked for the metrics of all. */
  async #answer(worker: Worker, message: unknown): Promise<void> {
    if (!isMetricsRequest(message)) return;
    const text = await this.#registry.clusterMetrics().catch(() => null);
    if (worker.isConnected()) worker.send({ ...message, text });
  }
}
