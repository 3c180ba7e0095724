/** Limits how many deliveries go to one host at the same time. The others wait their turn, and may be sent away. */
import type { RunningJob } from '../request/exchange.ts';
import { waitFor } from '../values/semaphore.ts';
import { DeliveryError } from './delivery-error.ts';

interface Limits {
  /** How many at the same time. */
  readonly most: number;
  /** How long one may take, from its turn on. */
  readonly seconds: number;
}

type Job = Pick<RunningJob, 'id' | 'signal'>;

interface Host {
  active: number;
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly id: string;
  readonly begin: () => void;
}

export class HostSlots {
  readonly #hosts = new Map<string, Host>();

  /** Does the work when it is its turn, within its time. `job` names who waits. */
  async use(name: string, limits: Limits, { id, signal }: Job, work: (signal: AbortSignal) => Promise<void>) {
    const host = this.#hosts.get(name) ?? { active: 0, waiting: new Set() };
    this.#hosts.set(name, host);
    if (host.active >= limits.most) await turnOf(host, id, signal);
    else host.active += 1;
    const late = new AbortController();
    const abort = () => late.abort(new DeliveryError(`there was no answer within ${limits.seconds} s`));
    const timer = setTimeout(abort, limits.seconds * 1000);
    try {
      const either = AbortSignal.any([signal, late.signal]);
      either.throwIfAborted();
      // Work that does not heed its signal is left alone, so that it keeps no slot.
      await waitFor(work(either), { signal: either });
    } finally {
      clearTimeout(timer);
      this.#leave(name, host);
    }
  }

  /** Who waits, and after how many seconds it is worth to come back: those of a long queue later. */
  get waiting(): readonly { readonly id: string; readonly seconds: number }[] {
    return [...this.#hosts.values()].flatMap(({ waiting }) => {
      const longest = Math.min(60, Math.max(2, waiting.size / 10));
      return [...waiting].map(({ id }) => ({ id, seconds: 1 + Math.random() * longest }));
    });
  }

  /** The turn goes to the next one, so that the number of those under way stays the same. */
  #leave(name: string, host: Host): void {
    const [next] = host.waiting;
    if (next) {
      host.waiting.delete(next);
      next.begin();
    } else if (--host.active === 0) this.#hosts.delete(name);
  }
}

function turnOf({ waiting }: Host, id: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      waiting.delete(own);
      reject(signal.reason);
    };
    const begin = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const own = { id, begin };
    signal.throwIfAborted();
    signal.addEventListener('abort', abort, { once: true });
    waiting.add(own);
  });
}
