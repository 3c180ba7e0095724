/** Jobs for the tests of an application, which say themselves when jobs are run and how much time has passed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jobKind } from '../../compiler/definition/work.ts';
import type { JobResult, JobTally } from '../observe/metrics.ts';
import type { Connection, Statement } from '../query/database.ts';
import { type JobSource, type JobsOptions, startJobs } from './start-jobs.ts';

/** A try of a job. */
export interface JobRun {
  readonly job: string;
  readonly result: JobResult;
  /** Why it failed. */
  readonly error?: string;
}

const HAS_DUE: Statement = {
  name: 'kiln_jobs_has_due',
  text: `SELECT EXISTS (SELECT FROM "kiln_jobs" AS job WHERE "kind" = ANY ($1::text[]) AND ("due_at" <= now() OR "running_on" IS NOT NULL
  OR "attempt" = 0 AND "failed_at" IS NULL AND "error" IS NOT NULL
    AND NOT EXISTS (SELECT FROM "kiln_jobs" AS head WHERE head."once" = '=' || job."line")))`,
  isRepeatable: true,
};

/** Runs the jobs that are due one after the other, and those that they run, until none is due. */
export async function workOff(source: JobSource, options: JobsOptions): Promise<readonly JobRun[]> {
  const { definition } = source;
  const kinds = (definition.jobs ?? []).map((job) => jobKind(job, definition));
  if (kinds.length === 0) return [];
  const done: JobRun[] = [];
  const count: JobTally['count'] = (job, result, _seconds, error) => {
    done.push({ job, result, ...(error !== undefined && { error }) });
  };
  const tally = { count, watch: () => undefined };
  const config = { ...options.config, jobs: 1 };
  const jobs = startJobs(source, { ...options, config, metrics: { jobs: () => tally } });
  const hasDue = async () => (await options.requests.run(HAS_DUE, [kinds])).rows[0]?.[0] === 't';
  while (await hasDue()) await sleep(5);
  await jobs.stop();
  return done;
}

const TRAVEL: Statement = {
  name: 'kiln_jobs_travel',
  text: `UPDATE "kiln_jobs" SET "due_at" = "due_at" - make_interval(secs => $1::float8)`,
  isRepeatable: false,
};

/** Makes jobs due so many seconds earlier, as if that time had passed. */
export async function travel(connection: Connection, seconds: number): Promise<void> {
  await connection.run(TRAVEL, [String(seconds)]);
}
