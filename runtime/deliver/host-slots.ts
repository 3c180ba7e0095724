/** Limits how many deliveries go to one host at the same time. The others wait their turn, and may be sent away. */
import type { RunningJob } from '../request/exchange.ts';
import { Semaphore, waitFor } from '../values/semaphore.ts';
import { DeliveryError } from './delivery-error.ts';

interface Limits {
  /** How many at the same time. */
  readonly most: number;
  /** How long one may take, from its turn on. */
  readonly seconds: number;
}

type Job = Pick<RunningJob, 'id' | 'signal'>;

interface Host {
  readonly turns: Semaphore;
  /** The ids of those who wait. */
  readonly waiting: Set<string>;
  /** How many are under way or wait. */
  users: number;
}

export class HostSlots {
  readonly #hosts = new Map<string, Host>();

  /** Does the work when it is its turn, within its time. `job` names who waits. */
  async use(name: string, limits: Limits, { id, signal }: Job, work: (signal: AbortSignal) => Promise<void>) {
    const host = this.#hosts.get(name) ?? { turns: new Semaphore(limits.most), waiting: new Set(), users: 0 };
    this.#hosts.set(name, host);
    host.users++;
    host.waiting.add(id);
    try {
      await host.turns.acquire(undefined, signal).finally(() => host.waiting.delete(id));
      await inTime(limits.seconds, signal, work).finally(() => host.turns.release());
    } finally {
      if (--host.users === 0) this.#hosts.delete(name);
    }
  }

  /** Who waits, and after how many seconds it is worth to come back: those of a long queue later. */
  get waiting(): readonly { readonly id: string; readonly seconds: number }[] {
    return [...this.#hosts.values()].flatMap(({ waiting }) => {
      const longest = Math.min(60, Math.max(2, waiting.size / 10));
      return [...waiting].map((id) => ({ id, seconds: 1 + Math.random() * longest }));
    });
  }
}

/** Work that does not heed its signal is left alone, so that it keeps no slot. */
async function inTime(seconds: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) {
  const late = new AbortController();
  const abort = () => late.abort(new DeliveryError(`there was no answer within ${seconds} s`));
  const timer = setTimeout(abort, seconds * 1000);
  const either = AbortSignal.any([signal, late.signal]);
  try {
    either.throwIfAborted();
    await waitFor(work(either), { signal: either });
  } finally {
    clearTimeout(timer);
  }
}
