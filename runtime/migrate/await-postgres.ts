/** A Postgres that was started just before the job may not answer yet. It is waited for, and that is told. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sqlStateOf } from '../query/connections/database-error-from.ts';
import { serverIn } from './connection-words.ts';
import type { Report } from './events.ts';
import { Refusal } from './refusal.ts';
import { openSession, type Session } from './session.ts';

interface Patience {
  readonly databaseUrl: string;
  readonly report: Report;
  /** In milliseconds; 0 where the first attempt decides. */
  readonly startWait?: number;
  readonly signal?: AbortSignal;
}

const PAUSE = 250;

export async function sessionWhenUp(name: string, { databaseUrl, report, startWait = 0, signal }: Patience) {
  const end = performance.now() + startWait;
  const attempt = async (isTold: boolean): Promise<Session> => {
    try {
      return await openSession(databaseUrl, name);
    } catch (error) {
      if (!mayComeUp(error) || performance.now() >= end) throw error;
      if (!isTold) report({ kind: 'waiting-for-postgres', server: serverIn(databaseUrl), milliseconds: startWait });
      await sleep(PAUSE, undefined, signal ? { signal } : {});
      return attempt(true);
    }
  };
  return attempt(false);
}

/** Nobody listens yet, or Postgres says that it is starting. Names and passwords do not mend themselves. */
const PASSING: ReadonlySet<string> = new Set(['ECONNREFUSED', '57P03']);

function mayComeUp(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  const causes: readonly unknown[] = error.cause instanceof AggregateError ? error.cause.errors : [error.cause];
  return causes.some((cause) => PASSING.has(sqlStateOf(cause) ?? ''));
}
