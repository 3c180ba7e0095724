/**
 * Whether the jobs that wait can be done: one of each kind is tried, in a transaction that is rolled back. Jobs with custom
 * code are not tried, because what code does cannot be rolled back.
 */
import type { Logger } from 'pino';
import { jobNameOf } from '../../compiler/definition/work.ts';
import type { JobRoutes } from '../endpoints/application.ts';
import { Refusal } from '../errors/api-error.ts';
import { type Connection, DatabaseError, type Statement } from '../query/database.ts';
import type { Sent } from '../request/inputs.ts';
import { storedKinds } from './job-table.ts';
import { endFrom } from './try-job.ts';

export interface JobCheck {
  readonly tried: number;
  /** The names of jobs that have code. */
  readonly withCode: readonly string[];
  /** One sentence each, which begins with `job `, the kind, and `with `. */
  readonly failures: readonly string[];
}

/** The jobs of other releases alone are left to them. */
export async function checkJobs(connection: Connection, routes: readonly JobRoutes[], log: Logger): Promise<JobCheck> {
  // Without jobs there may be no table of them.
  if (routes.length === 0) return { tried: 0, withCode: [], failures: [] };
  const failures: string[] = [];
  const withCode: string[] = [];
  let tried = 0;
  for (const kind of await storedKinds(connection)) {
    const input = (await connection.run(WAITING, [kind])).rows[0]?.[0];
    const known = routes.find(({ job }) => [job.name, job.was].includes(jobNameOf(kind)));
    if (!input || !known) continue;
    if (known.actions.usesHooks) {
      withCode.push(known.job.name);
      continue;
    }
    tried++;
    const why = known.reads(kind) ? await failureOf(known, input, log) : 'this release cannot read its inputs';
    if (why !== null) failures.push(`job ${kind} with ${input}: ${why}`);
  }
  return { tried, withCode, failures };
}

const WAITING: Statement = {
  name: 'kiln_jobs_waiting',
  text: 'SELECT "input" FROM "kiln_jobs" WHERE "kind" = $1 AND "failed_at" IS NULL ORDER BY "due_at" LIMIT 1',
  isRepeatable: true,
};

class RolledBack extends Error {}

/** A `refuse` is what the author wants to happen. A record that is gone ends every job in the same way. */
async function failureOf({ job, actions }: JobRoutes, input: string, log: Logger): Promise<string | null> {
  const signal = AbortSignal.timeout(job.timeout * 1000);
  const end = () => Promise.reject(new RolledBack());
  const work = { id: '0', attempt: 1, depth: 0, signal, log, input: JSON.parse(input) as Sent, end };
  try {
    await actions.perform(work);
    return null;
  } catch (error) {
    if (error instanceof RolledBack || error instanceof Refusal) return null;
    if (error instanceof DatabaseError && error.kind === 'unavailable') throw error;
    const ended = endFrom(error, actions.records);
    return ended.kind === 'failed' ? ended.error : null;
  }
}
