/** Tries work that needs locks until it gets them, with pauses in which everybody else goes on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sqlStateOf } from '../query/connections/database-error-from.ts';
import { type BlockedEvent, type OtherSession, sessionText } from './events.ts';
import { isInTransaction, type Job, type LockBudget } from './job.ts';
import { blockersOf, quietlyHeldTables } from './observer.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

const LONGEST_PAUSE = 5000;
const LONGEST_UNSEEN = 1000;
const LONGEST_UNLOOKED = 500;

/** The codes of a lock timeout, a deadlock and a serialization failure: the same work may succeed the next time. */
const CONTENTION: ReadonlySet<string | undefined> = new Set(['55P03', '40P01', '40001']);

/**
 * `what` says where the work has come to. It leaves nothing behind where it fails, so that it can be run again. While it
 * runs, `job.lockWait` says for how long its statements may wait.
 */
export async function withLockAttempts<T>(
  job: Job,
  budget: LockBudget,
  what: () => string,
  work: (attempt: number) => Promise<T>,
  look?: (observing: Session) => Promise<void>,
): Promise<T> {
  if (isInTransaction(job)) return work(1);
  const start = performance.now();
  let blockers: readonly OtherSession[] = [];
  const watch = async (observing: Session) => {
    const seen = await blockersOf(observing, job.session.pid);
    if (seen.length > 0) {
      blockers = seen;
      for (const table of await quietlyHeldTables(observing, job.session.pid)) job.lockWait.quietTables.add(table);
    }
    await look?.(observing);
  };
  try {
    for (let attempt = 1; ; attempt++) {
      const timeout = Math.round(Math.min(budget.timeout * (1 + (attempt - 1) / 2), budget.longest));
      job.lockWait.begin(timeout);
      try {
        // The observer needs a connection, so it looks at once only where a lock is known to be missing.
        const soon = attempt === 1 ? LONGEST_UNLOOKED : timeout / 4;
        return await job.observer.whileRunning(soon, watch, () => work(attempt));
      } catch (error) {
        if (!CONTENTION.has(sqlStateOf(error))) throw error;
        const pause = pauseAfter(attempt, budget);
        const left = budget.deadline - (performance.now() - start);
        if (left < pause) throw blocked(what(), attempt, blockers, error);
        tellBlocked(job, budget, { what: what(), attempt, left, blockers });
        await sleep(pause, undefined, job.signal && { signal: job.signal });
      }
    }
  } finally {
    job.lockWait.end();
  }
}

/** The pause is random, so that two jobs that block each other do not meet again and again. */
function pauseAfter(attempt: number, { pause }: LockBudget): number {
  return Math.round(Math.min(pause * 2 ** (attempt - 1), LONGEST_PAUSE) * (0.5 + Math.random() / 2));
}

type Blocked = Pick<BlockedEvent, 'what' | 'attempt' | 'left' | 'blockers'>;

/** An attempt may be over before the observer could see who is in the way: then a later one tells it. */
function tellBlocked({ lockWait, report }: Job, { betweenReports, deadline }: LockBudget, blocked: Blocked): void {
  const isSeen = blocked.blockers.length > 0 || deadline - blocked.left > LONGEST_UNSEEN;
  if (isSeen && lockWait.isNews(blocked.what, betweenReports)) report({ kind: 'blocked', ...blocked });
}

function blocked(what: string, attempts: number, blockers: readonly OtherSession[], cause: unknown): Refusal {
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  const by = blockers.length > 0 ? ` Blocked by ${blockers.map(sessionText).join(', ')}.` : '';
  const message = `A lock could not be acquired in time: tried ${times} to ${what}.${by}`;
  return new Refusal('blocked', message, { cause });
}
