/** The jobs that are stored: how many of each kind and state, each of them, and what a person may do about them. */
import { literalPath } from '../../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { all, integer, joined, quotedName, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { isExactlyOnce, JOBS, jobKind, readsKind } from '../../../compiler/definition/work.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { DataRow } from '../../query/data-row.ts';
import type { DataConnection } from '../../query/database.ts';
import type { Exchange, Route } from '../../request/exchange.ts';
import { malformed, queryParameters } from '../../request/query-string.ts';
import { parserOf } from '../../values/kinds.ts';
import { json, type MakeRoute } from '../api/console-route.ts';
import { countSql, EXACT, upTo } from '../data/counts.ts';
import { type DataDatabase, execute, reading, text, value, writing } from '../data/data-statements.ts';
import { JOB_STATES, type JobPage, type JobState, type StoredJob, type WorkKind } from './work-forms.ts';

const PAGE_SIZE = 50;
/** The longest error, and the longest text of inputs, in characters. */
const LONGEST = 500;

const WORK = literalPath('work');

/** None where the application has no jobs: then their table is not there. */
export function workRoutes(definition: Definition, from: DataDatabase, route: MakeRoute): readonly Route[] {
  if (!definition.jobs) return [];
  const act = (name: string, change: Sql): Route =>
    route('POST', [...WORK, ...literalPath(name)], async (exchange) => {
      const which = await jobsIn(exchange);
      const statement = changeSql(sql`${change} WHERE ${which.condition}`);
      const { rows } = await writing(from, exchange.signal, (connection) => execute(connection, statement));
      const count = Number(rows[0]?.text(0));
      if (count === 0 && which.id !== null)
        throw new ApiError('not-found', { detail: `The job ${which.id} is done, is running or was discarded.` });
      return json({ count });
    });
  return [
    route('GET', WORK, async ({ signal }) =>
      json(await reading(from, signal, (connection) => kindsOf(connection, definition))),
    ),
    route('GET', [...WORK, ...literalPath('jobs')], async ({ queryString, signal }) => {
      const condition = conditionFrom(queryString);
      return json(await reading(from, signal, (connection) => pageOf(connection, condition)));
    }),
    act('run', RUN_AGAIN),
    act('discard', sql`DELETE FROM ${TABLE}`),
  ];
}

const TABLE = quotedName(JOBS);

/** The job is as if it had never been tried: it has no error, and waits for its turn in its line. */
const RUN_AGAIN = sql`UPDATE ${TABLE} SET "due_at" = now(), "attempt" = 0, "failed_at" = NULL, "running_on" = NULL, "error" = NULL,
  "once" = CASE WHEN "attempt" = 0 THEN "once" END`;

/** Changes jobs, and makes those behind them in their lines due. They find out themselves whether it is their turn. */
function changeSql(change: Sql): Sql {
  return sql`WITH changed AS (${change} RETURNING "id", "line"), next AS (
    UPDATE ${TABLE} SET "due_at" = now() WHERE "id" IN (SELECT min(job."id") FROM ${TABLE} AS job, changed WHERE job."line" = changed."line"
      AND job."attempt" = 0 AND job."failed_at" IS NULL AND job."error" IS NOT NULL AND job."id" NOT IN (SELECT "id" FROM changed)
      GROUP BY job."line")
    ) SELECT count(*) FROM changed`;
}

/**
 * The states as `due_at` tells them, by which jobs of a kind are found in an index. A claim lasts less than a minute. A job
 * that waits for others of its line is never due, like one that has failed.
 */
const IN_STATE: Readonly<Record<JobState, Sql>> = {
  waiting: sql`"due_at" <= now()`,
  later: sql`"due_at" > now() AND "failed_at" IS NULL AND "running_on" IS NULL`,
  running: sql`"due_at" > now() AND "due_at" < now() + interval '1 minute' AND "running_on" IS NOT NULL`,
  failed: sql`"due_at" = 'infinity' AND "failed_at" IS NOT NULL`,
};

// ── Counts ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Counts the jobs of each kind, also of jobs of this release that are not stored at the moment. */
async function kindsOf(connection: DataConnection, definition: Definition): Promise<readonly WorkKind[]> {
  const { jobs = [] } = definition;
  const counts = JOB_STATES.map((state) =>
    countSql(sql`FROM ${TABLE} AS "job" WHERE ${OF_KIND} AND ${IN_STATE[state]}`),
  );
  // A loop over the index: the kinds are few, their jobs may be millions.
  const { rows } = await execute(
    connection,
    sql`WITH RECURSIVE "kinds" AS ((SELECT "kind" FROM ${TABLE} ORDER BY "kind" LIMIT 1) UNION ALL
      SELECT (SELECT "next"."kind" FROM ${TABLE} AS "next" WHERE "next"."kind" > "kinds"."kind" ORDER BY "next"."kind" LIMIT 1)
      FROM "kinds" WHERE "kinds"."kind" IS NOT NULL)
      SELECT "kinds"."kind", ${joined(counts, ', ')}, (SELECT min("due_at") FROM ${TABLE} AS "job" WHERE ${OF_KIND} AND ${IN_STATE.waiting})
      FROM "kinds" WHERE "kinds"."kind" IS NOT NULL`,
  );
  const stored = new Map(rows.map((row) => [row.text(0) as string, row]));
  const kinds = new Set([...jobs.map((job) => jobKind(job, definition)), ...stored.keys()]);
  return [...kinds].sort().map((kind) => {
    const job = jobs.find((each) => readsKind(each, kind, definition));
    const row = stored.get(kind);
    const count = (at: number) => upTo(Number(row?.text(at + 1) ?? 0), EXACT);
    return {
      kind,
      job: job ? { name: job.name, isExactlyOnce: isExactlyOnce(job), tries: job.retry + 1 } : null,
      counts: Object.fromEntries(JOB_STATES.map((state, at) => [state, count(at)])) as WorkKind['counts'],
      oldest: row ? moment(row, JOB_STATES.length + 1) : null,
    };
  });
}

const OF_KIND = sql`"job"."kind" = "kinds"."kind"`;

// ── Jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function pageOf(connection: DataConnection, condition: Sql): Promise<JobPage> {
  const states = JOB_STATES.map((each) => sql`WHEN ${IN_STATE[each]} THEN ${text(each)}`);
  const { rows } = await execute(
    connection,
    sql`SELECT "id", "kind", CASE ${joined(states, ' ')} ELSE 'running' END, "attempt", nullif("due_at", 'infinity'),
      left("error", ${integer(LONGEST)}), left("input"::text, ${integer(LONGEST)})
      FROM ${TABLE} WHERE ${condition} ORDER BY "id" DESC LIMIT ${integer(PAGE_SIZE + 1)}`,
  );
  return { jobs: rows.slice(0, PAGE_SIZE).map(jobFrom), hasMore: rows.length > PAGE_SIZE };
}

function jobFrom(row: DataRow): StoredJob {
  const [id, kind, state, attempt, , error, input] = row.fields as readonly string[];
  return { id, kind, state, attempt: Number(attempt), dueAt: moment(row, 4), error, input } as StoredJob;
}

const parseMoment = parserOf({ kind: 'timestamp' });

function moment(row: DataRow, at: number): string | null {
  return parseMoment(row.text(at)) as string | null;
}

/** `?kind=`, `?state=`, and `?before=` with the id of the last job of the page before. */
function conditionFrom(queryString: string): Sql {
  const sent = queryParameters(queryString, new Set()) as Readonly<Record<string, string>>;
  const conditions = Object.entries(sent).map(([name, given]) => {
    if (name === 'kind') return sql`"kind" = ${text(given)}`;
    if (name === 'before' && isId(given)) return sql`"id" < ${value(given, sql`bigint`)}`;
    if (name === 'state' && Object.hasOwn(IN_STATE, given)) return IN_STATE[given as JobState];
    throw malformed(name, `cannot be \`${given}\``);
  });
  return all([sql`true`, ...conditions]);
}

function isId(given: unknown): given is string {
  return typeof given === 'string' && /^\d{1,18}$/.test(given);
}

interface ChosenJobs {
  readonly condition: Sql;
  /** Null for all that have failed of a kind. */
  readonly id: string | null;
}

/** The jobs that a body names: one, unless it runs, or all of a kind that have failed. */
async function jobsIn(exchange: Exchange): Promise<ChosenJobs> {
  const { id, kind } = await exchange.readBody();
  if (isId(id)) return { condition: sql`"id" = ${value(id, sql`bigint`)} AND NOT (${IN_STATE.running})`, id };
  if (typeof kind === 'string') return { condition: sql`"kind" = ${text(kind)} AND ${IN_STATE.failed}`, id: null };
  throw new ApiError('malformed-request', { detail: 'The body must have the `id` of a job or a `kind`, as a string.' });
}
