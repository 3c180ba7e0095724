import type { Expression } from '../expression.ts';
import { isShort } from '../work.ts';
import { type Sql, sql } from './sql.ts';

const NULL = sql`NULL`;

/** The values of a job, as SQL. */
interface JobValues {
  readonly kind: Sql;
  /** As `jsonb`. */
  readonly input: Sql;
  /** Null for a job that does not wait. */
  readonly due: Sql | null;
  readonly once: Sql | null;
  readonly line: Sql | null;
}

/**
 * Stores a job, for `run` in requests and in triggers. A job says how deep its transaction is in a chain of jobs; nobody
 * else does. A job of the same `once` that waits already is locked until the transaction ends, so that it is not run before
 * the changes that rely on it are there.
 */
export function insertJobSql({ kind, input, due: later, once, line }: JobValues): Sql {
  const due = later ? sql`coalesce(${later}, now())` : sql`now()`;
  // A job that waits begins a chain of its own: it may run itself again for years.
  const depth = later ? sql`0` : sql`coalesce(nullif(current_setting('kiln.job_depth', true), '')::bigint, 0)`;
  const isNew = once ? sql` ON CONFLICT ("once") DO UPDATE SET "once" = EXCLUDED."once" WHERE false` : sql``;
  return sql`INSERT INTO "kiln_jobs" ("kind", "input", "due_at", "once", "line", "depth") VALUES (${kind}, ${input}, ${due}, ${once ?? NULL}, ${line ?? NULL}, ${depth})${isNew}`;
}

/** The key of a job, for `once` and `line`. One of more than 200 bytes is its hash, because both columns have an index. */
export function keySql(key: Expression, text: Sql): Sql {
  const parts = key.kind === 'operation' ? key.operands : [key];
  if (parts.every(isShortPart)) return text;
  const hash = sql`encode(sha256(convert_to("key", 'UTF8')), 'hex')`;
  return sql`(SELECT CASE WHEN octet_length("key") > 200 THEN ${hash} ELSE "key" END FROM (SELECT ${text} AS "key") AS "keyed")`;
}

/** The name of the job, or a value as text. */
function isShortPart(part: Expression): boolean {
  return part.kind === 'literal' || isShort(part.kind === 'convert' ? part.value.type : part.type);
}
