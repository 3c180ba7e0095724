/** Tries work that needs locks until it gets them, with pauses in which everybody else goes on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sqlStateOf } from '../query/connections/database-error-from.ts';
import type { OtherSession } from './events.ts';
import type { Job, LockBudget } from './job.ts';
import { blockersOf } from './observer.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';
import { sessionText } from './session-text.ts';

const LONGEST_PAUSE = 10_000;
const LONGEST_LOOK = 500;

/** Not to be had in time, a deadlock, or a serialization failure: the same work may well go through the next time. */
const CONTENTION: ReadonlySet<string | undefined> = new Set(['55P03', '40P01', '40001']);

/** `what` says where the work has come to. It leaves nothing behind where it fails, so that it can be run again. */
export async function withLockAttempts<T>(
  job: Job,
  budget: LockBudget,
  what: () => string,
  work: () => Promise<T>,
  look?: (observing: Session) => Promise<void>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let blockers: readonly OtherSession[] = [];
    const watch = async (observing: Session) => {
      const seen = await blockersOf(observing, job.session.pid);
      if (seen.length > 0) blockers = seen;
      await look?.(observing);
    };
    try {
      return await job.observer.whileRunning(Math.min(budget.timeout / 4, LONGEST_LOOK), watch, work);
    } catch (error) {
      if (!CONTENTION.has(sqlStateOf(error))) throw error;
      if (attempt >= budget.attempts) throw blocked(what(), attempt, blockers, error);
      const pause = pauseAfter(attempt, budget);
      job.report({ kind: 'blocked', what: what(), attempt, attempts: budget.attempts, pause, blockers });
      await sleep(pause, undefined, job.signal && { signal: job.signal });
    }
  }
}

/** Not the same for all, so that two who hinder each other do not meet again and again. */
function pauseAfter(attempt: number, { pause }: LockBudget): number {
  return Math.round(Math.min(pause * 2 ** (attempt - 1), LONGEST_PAUSE) * (0.5 + Math.random() / 2));
}

function blocked(what: string, attempts: number, blockers: readonly OtherSession[], cause: unknown): Refusal {
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  const by = blockers.length > 0 ? ` Held up by ${blockers.map(sessionText).join(', ')}.` : '';
  const message = `A lock was not to be had in time: tried ${times} to ${what}.${by}`;
  return new Refusal('blocked', message, { cause });
}
