import { type Sql, sql } from './sql.ts';

/** The values of a job, as SQL. */
interface JobValues {
  readonly kind: Sql;
  /** As `jsonb`. */
  readonly input: Sql;
  readonly due: Sql;
  readonly once: Sql;
  readonly line: Sql;
}

/**
 * Stores a job, for `run` in requests and in triggers. A job says how deep its transaction is in a chain of jobs; nobody
 * else does. A job of the same `once` that waits already is locked until the transaction ends, so that it is not run before
 * the changes that rely on it are there.
 */
export function insertJobSql({ kind, input, due, once, line }: JobValues): Sql {
  const depth = sql`coalesce(nullif(current_setting('kiln.job_depth', true), '')::bigint, 0)`;
  return sql`INSERT INTO "kiln_jobs" ("kind", "input", "due_at", "once", "line", "depth") VALUES (${kind}, ${input}, ${due}, ${once}, ${line}, ${depth}) ON CONFLICT ("once") DO UPDATE SET "once" = EXCLUDED."once" WHERE false`;
}
