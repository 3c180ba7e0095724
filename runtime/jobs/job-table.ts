/**
 * The table of jobs, as the servers that work on them see it. A claim ends after 30 seconds unless it is renewed, so the
 * jobs of a server that has died are due again. Whatever ends a try names the attempt: if the job was claimed again in
 * the meantime, nothing is done.
 *
 * Of a line, one job is worked on at a time. The one whose turn it is holds the key of the line in `once`, which is
 * unique, until it is done or has failed for good. Those behind it are parked: the first one until the claim of that job
 * ends, the others for ever. Whoever has ended a job, and whoever has parked some, wakes the line after the commit: the
 * later one of the two sees what both have done.
 */
import { sqlStateOf } from '../query/connections/database-error-from.ts';
import type { Connection, Row, Statement } from '../query/database.ts';

export interface ClaimedJob {
  readonly id: string;
  readonly kind: string;
  /** As JSON. */
  readonly input: string;
  /** From 1. */
  readonly attempt: number;
  readonly depth: number;
  readonly line: string | null;
}

/** Names one try of a job. */
type Try = Pick<ClaimedJob, 'id' | 'attempt'>;

/** Another server has claimed the job, or somebody has removed it: what was done for it is rolled back. */
export class JobLost extends Error {
  constructor() {
    super('the job is no longer claimed by this server');
    this.name = 'JobLost';
  }
}

/** A job that was never tried has an error only while it is parked. */
const PARKED = 'Waits for the jobs before it in its line.';

const WAITS = `job."attempt" = 0 AND job."failed_at" IS NULL`;

/**
 * The first job of a line that waits. Postgres does not look into `CASE` to guess how many jobs there are: it would guess so
 * few that it would sort all jobs of the line, instead of reading the first one from the index.
 */
const firstOf = (line: string) => `(SELECT job."id" FROM "kiln_jobs" AS job WHERE job."line" = ${line}
    AND CASE WHEN ${WAITS} AND (job."due_at" <= now() OR job."error" IS NOT NULL) THEN true END
    ORDER BY job."line", job."id" LIMIT 1)`;

/**
 * Rows are named by arrays: to join them, Postgres would read the whole table where it has no statistics yet. The next jobs of
 * lines that have gone on are claimed at once where nothing else is due; otherwise they become due, so that a long line
 * does not keep others waiting.
 */
const CLAIM: Statement = {
  name: 'kiln_jobs_claim',
  text: `WITH due AS MATERIALIZED (
  SELECT job."id", job."line", job."attempt" FROM unnest($1::text[]) AS known (kind) CROSS JOIN LATERAL (
    SELECT "id", "line", "attempt", "due_at" FROM "kiln_jobs" WHERE "kind" = known.kind AND "due_at" <= now()
    ORDER BY "due_at" LIMIT $2::bigint FOR UPDATE SKIP LOCKED
  ) AS job ORDER BY job."due_at" LIMIT $2::bigint
), next AS MATERIALIZED (
  SELECT ${firstOf('own.line')} AS "id" FROM unnest($4::text[]) AS own (line)
  WHERE NOT EXISTS (SELECT FROM "kiln_jobs" AS head WHERE head."once" = '=' || own.line)
), taken AS MATERIALIZED (
  SELECT job."id" FROM "kiln_jobs" AS job WHERE job."id" = ANY (ARRAY(SELECT "id" FROM next EXCEPT SELECT "id" FROM due))
    AND CASE WHEN job."kind" = ANY ($1::text[]) THEN true END LIMIT $2::bigint - (SELECT count(*) FROM due)
), woken AS (
  UPDATE "kiln_jobs" AS job SET "due_at" = now()
  WHERE job."id" = ANY (ARRAY(SELECT "id" FROM next EXCEPT SELECT "id" FROM due EXCEPT SELECT "id" FROM taken))
    AND ${WAITS} AND job."due_at" > now()
), blocked AS MATERIALIZED (
  SELECT due."id", due."line" FROM due WHERE due."line" IS NOT NULL AND due."attempt" = 0 AND (
    EXISTS (SELECT FROM "kiln_jobs" AS job WHERE job."once" = '=' || due."line") OR due."id" > ${firstOf('due."line"')}
  )
), behind AS MATERIALIZED (
  SELECT job."id", job."id" = first.next AS is_next
  FROM (SELECT "line", min("id") AS "id", ${firstOf('blocked."line"')} AS next FROM blocked GROUP BY "line") AS first CROSS JOIN LATERAL (
    SELECT job."id" FROM "kiln_jobs" AS job WHERE job."line" = first."line" AND job."id" >= first."id"
      AND ${WAITS} AND job."due_at" <= now() ORDER BY job."line", job."id" LIMIT 1000 FOR UPDATE SKIP LOCKED
  ) AS job
), parked AS (
  UPDATE "kiln_jobs" AS job SET "error" = '${PARKED}', "due_at" = CASE
    WHEN job."id" = ANY (ARRAY(SELECT "id" FROM behind WHERE is_next))
    THEN greatest(now() + interval '1 s', (SELECT head."due_at" FROM "kiln_jobs" AS head WHERE head."once" = '=' || job."line"))
    ELSE 'infinity' END
  WHERE job."id" = ANY (ARRAY(SELECT "id" FROM behind))
), claimed AS (
  UPDATE "kiln_jobs" AS job SET "attempt" = job."attempt" + 1, "due_at" = now() + interval '30 s', "running_on" = $3,
    "once" = '=' || job."line", "error" = CASE WHEN job."attempt" > 0 THEN job."error" END
  WHERE job."id" = ANY (ARRAY(SELECT "id" FROM due EXCEPT SELECT "id" FROM blocked))
    OR job."id" = ANY (ARRAY(SELECT "id" FROM taken)) AND ${WAITS}
  RETURNING job."id", job."kind", job."input", job."attempt", job."depth", job."line"
) SELECT "id", "kind", "input", "attempt", "depth", "line" FROM claimed
UNION ALL SELECT DISTINCT NULL::bigint, NULL, NULL::jsonb, NULL::bigint, NULL::bigint, "line" FROM blocked`,
  isRepeatable: false,
};

interface Claim {
  readonly jobs: readonly ClaimedJob[];
  /** The lines in which jobs were due, but not the next ones. */
  readonly parked: readonly string[];
}

/**
 * Claims jobs of these kinds that are due, and the next ones of these lines. Not repeated where the answer is lost: such
 * claims end by themselves.
 */
export async function claimJobs(
  connection: Connection,
  kinds: readonly string[],
  most: number,
  server: string,
  lines: readonly string[] = [],
): Promise<Claim> {
  const { rows } = await connection.run(CLAIM, [kinds, String(most), server, lines]);
  const [jobs, parked] = [true, false].map((isJob) => rows.filter(([id]) => (id !== null) === isJob)) as [Row[], Row[]];
  return { jobs: jobs.map(claimedFrom), parked: parked.map((row) => String(row.at(-1))) };
}

function claimedFrom(row: Row): ClaimedJob {
  const [id, kind, input, attempt, depth, line] = row as readonly string[];
  return {
    id: String(id),
    kind: String(kind),
    input: String(input),
    attempt: Number(attempt),
    depth: Number(depth),
    line: line ?? null,
  };
}

const RENEW: Statement = {
  name: 'kiln_jobs_renew',
  text: `UPDATE "kiln_jobs" AS job SET "due_at" = now() + interval '30 s'
FROM unnest($1::bigint[], $2::bigint[]) AS own (id, attempt)
WHERE job."id" = ANY ($1::bigint[]) AND job."id" = own.id AND job."attempt" = own.attempt
  AND job."running_on" IS NOT NULL AND job."failed_at" IS NULL
RETURNING job."id"`,
  isRepeatable: true,
};

/** Gives the ids of those that are still claimed. */
export async function renewClaims(connection: Connection, tries: readonly Try[]): Promise<ReadonlySet<string>> {
  const { rows } = await connection.run(RENEW, boundTries(tries));
  return new Set(rows.map(([id]) => String(id)));
}

function boundTries(tries: readonly Try[]) {
  return [tries.map(({ id }) => id), tries.map(({ attempt }) => String(attempt))];
}

const GIVE_BACK: Statement = {
  name: 'kiln_jobs_give_back',
  text: `UPDATE "kiln_jobs" AS job SET "due_at" = now() + make_interval(secs => $3::float8), "attempt" = job."attempt" - 1, "running_on" = NULL,
  "once" = CASE WHEN job."attempt" > 1 THEN job."once" END
FROM unnest($1::bigint[], $2::bigint[]) AS own (id, attempt)
WHERE job."id" = ANY ($1::bigint[]) AND job."id" = own.id AND job."attempt" = own.attempt`,
  isRepeatable: false,
};

/** Leaves jobs that were not tried to the end to other servers. It does not count as a try. */
export async function giveBack(connection: Connection, tries: readonly Try[], seconds = 0): Promise<void> {
  await connection.run(GIVE_BACK, [...boundTries(tries), String(seconds)]);
}

// ── The end of a try ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Ends the transaction of a job too. If the try is not the last one any more, it divides by zero: COMMIT is sent with it, and
 * must not commit what was done for the job.
 */
const ending = (name: string, change: string): Statement => ({
  name,
  text: `WITH ended AS (${change} WHERE "id" = $1 AND "attempt" = $2 RETURNING 1) SELECT 1 / count(*) FROM ended`,
  isRepeatable: false,
  endsTransaction: true,
});

const DIVISION_BY_ZERO = '22012';

async function end(connection: Connection, statement: Statement, { id, attempt }: Try, ...more: string[]) {
  await connection.run(statement, [id, String(attempt), ...more]).catch((error: unknown) => {
    const isLost = error instanceof Error && sqlStateOf(error.cause) === DIVISION_BY_ZERO;
    throw isLost ? new JobLost() : error;
  });
}

const REMOVE = ending('kiln_jobs_remove', 'DELETE FROM "kiln_jobs"');

export function removeJob(connection: Connection, claimed: Try): Promise<void> {
  return end(connection, REMOVE, claimed);
}

const FAIL = ending(
  'kiln_jobs_fail',
  `UPDATE "kiln_jobs" SET "failed_at" = now(), "due_at" = 'infinity', "running_on" = NULL, "once" = NULL, "error" = $3`,
);

/** Keeps the job as failed: it is not tried again by itself. */
export function keepFailed(connection: Connection, claimed: Try, error: string): Promise<void> {
  return end(connection, FAIL, claimed, error);
}

const TRY_LATER: Statement = {
  name: 'kiln_jobs_try_later',
  text: `UPDATE "kiln_jobs" SET "due_at" = now() + make_interval(secs => $3::float8), "running_on" = NULL, "error" = $4
WHERE "id" = $1 AND "attempt" = $2`,
  isRepeatable: true,
};

export async function tryLater(connection: Connection, { id, attempt }: Try, seconds: number, error: string) {
  await connection.run(TRY_LATER, [id, String(attempt), String(seconds), error]);
}

// ── What is in the table ────────────────────────────────────────────────────────────────────────────────────────────

const KINDS: Statement = {
  name: 'kiln_jobs_kinds',
  text: `WITH RECURSIVE found AS (
  (SELECT "kind" FROM "kiln_jobs" ORDER BY "kind" LIMIT 1)
  UNION ALL
  SELECT (SELECT "kind" FROM "kiln_jobs" WHERE "kind" > found."kind" ORDER BY "kind" LIMIT 1) FROM found WHERE found."kind" IS NOT NULL
) SELECT "kind" FROM found WHERE "kind" IS NOT NULL`,
  isRepeatable: true,
};

/** The kinds of all jobs. It takes as long as there are kinds, however many jobs there are. */
export async function storedKinds(connection: Connection): Promise<readonly string[]> {
  const { rows } = await connection.run(KINDS, []);
  return rows.map(([kind]) => String(kind));
}

/** Counts stop here, so that they take no longer where there are millions of jobs. */
const MOST_COUNTED = 10_000;

const UNFINISHED: Statement = {
  name: 'kiln_jobs_unfinished',
  text: `SELECT count(*) FROM (
  SELECT FROM "kiln_jobs" WHERE "kind" = ANY ($1::text[]) AND "failed_at" IS NULL LIMIT ${MOST_COUNTED}) AS job`,
  isRepeatable: true,
};

/** How many jobs of these kinds have not failed. */
export async function countUnfinished(connection: Connection, kinds: readonly string[]): Promise<number> {
  if (kinds.length === 0) return 0;
  const { rows } = await connection.run(UNFINISHED, [kinds]);
  return Number(rows[0]?.[0]);
}

const BACKLOG: Statement = {
  name: 'kiln_jobs_backlog',
  text: `SELECT count(*), coalesce(extract(epoch FROM now() - min(job."due_at")), 0)
FROM unnest($1::text[]) AS known (kind) CROSS JOIN LATERAL (
  SELECT "due_at" FROM "kiln_jobs" WHERE "kind" = known.kind AND "due_at" <= now() ORDER BY "due_at" LIMIT ${MOST_COUNTED}
) AS job`,
  isRepeatable: true,
};

/** The jobs that are due, and since how many seconds the oldest of them is. */
export async function backlogOf(connection: Connection, kinds: readonly string[]) {
  const { rows } = await connection.run(BACKLOG, [kinds]);
  const [waiting, oldest] = rows[0] ?? [];
  return { waiting: Number(waiting), oldestSeconds: Number(oldest) };
}

const FORGET: Statement = {
  name: 'kiln_jobs_forget',
  text: `DELETE FROM "kiln_jobs" WHERE "id" = ANY (ARRAY(
  SELECT "id" FROM "kiln_jobs" WHERE "kind" = ANY ($1::text[]) AND "due_at" = 'infinity' AND "failed_at" < now() - interval '30 days'
  LIMIT 1000 FOR UPDATE SKIP LOCKED))`,
  isRepeatable: true,
};

/** Removes jobs that failed long ago. */
export async function forgetFailed(connection: Connection): Promise<void> {
  await connection.run(FORGET, [await storedKinds(connection)]);
}

// ── Lines ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Makes the next job of each of these lines due, where no other one has its turn: a claim of none does it. */
export async function wakeLines(connection: Connection, lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await claimJobs(connection, [], 0, '', lines);
}

const PARKED_LINES: Statement = {
  name: 'kiln_jobs_parked_lines',
  text: `SELECT DISTINCT "line" FROM "kiln_jobs" WHERE "kind" = ANY ($1::text[]) AND "due_at" = 'infinity' AND "failed_at" IS NULL`,
  isRepeatable: true,
};

/** Wakes all lines, in case somebody has removed the job whose turn it was, or a server has ended before it woke its line. */
export async function wakeAllLines(connection: Connection, kinds: readonly string[]): Promise<void> {
  const { rows } = await connection.run(PARKED_LINES, [kinds]);
  await wakeLines(
    connection,
    rows.map(([line]) => String(line)),
  );
}
