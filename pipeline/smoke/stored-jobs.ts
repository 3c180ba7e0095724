/**
 * Jobs that wait while a release is rolled out: the previous release has stored them, and the new image has to do them. One
 * of each job is stored in the database of the previous release, with a record of its populator and made-up values, and
 * tried on the new image after the migration. Jobs with custom code are stored, but not tried.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import type { ValueInput } from '../../compiler/definition/endpoint.ts';
import { quotedText } from '../../compiler/definition/sql/literals.ts';
import { quotedName } from '../../compiler/definition/sql/sql.ts';
import { type Job, jobKind } from '../../compiler/definition/work.ts';
import { SmokeFailure } from './deadline.ts';
import { madeUp } from './made-up-settings.ts';
import { lastLines, type RunCommand, type RunImageCommand } from './sandbox-container.ts';
import type { ServedImage } from './serve-image.ts';
import type { Verdict } from './steps.ts';
import type { DatabaseName, SmokePostgres } from './test-sandbox.ts';

export function hasJobs({ jobs = [] }: Definition): boolean {
  return jobs.length > 0;
}

/**
 * Gives the jobs that are not tried, a sentence each. Those that fail on the previous release itself are removed again: the
 * new one is not to blame for them.
 */
export async function storeJobs(
  postgres: SmokePostgres,
  database: DatabaseName,
  definition: Definition,
  run: RunImageCommand,
): Promise<readonly string[]> {
  const { jobs = [] } = definition;
  if (jobs.length === 0) return [];
  const lacking = await storeEach(postgres, database, jobs, definition);
  const check = await run({ words: CHECK, databaseUrl: postgres.url(database), what: CHECKED });
  const failing = jobs.filter((job) => isUntested(check) || check.lines.some((line) => isAbout(line, job, definition)));
  const removed = failing.map(
    (job) => `DELETE FROM "kiln_jobs" WHERE "kind" = ${quotedText(jobKind(job, definition))}`,
  );
  if (removed.length > 0) await postgres.firstRows(database, removed);
  return [
    ...lacking.map(({ name }) => `${name} is not tried: there is no record for it`),
    ...failing.map(({ name }) => `${name} is not tried: it fails on the previous release, too`),
  ];
}

/** Stores one of each, and gives those that there is no record for. */
async function storeEach(
  postgres: SmokePostgres,
  database: DatabaseName,
  jobs: readonly Job[],
  definition: Definition,
) {
  const all = jobs.map((job) => storeSql(job, definition));
  const stored = await postgres.firstRows(database, all);
  return jobs.filter((_, at) => stored[at] === undefined);
}

const CHECK = ['check', '--jobs'];
const CHECKED = '`check` of jobs that wait';
/** The exit code of `check` where a job fails. */
const JOB_FAILS = 3;

/** Its code cannot be loaded, or its Kiln is older. */
function isUntested({ code }: RunCommand): boolean {
  return code !== 0 && code !== JOB_FAILS;
}

function isAbout(line: string, job: Job, definition: Definition): boolean {
  return line.startsWith(`job ${jobKind(job, definition)} with `);
}

/** It is due on another day, so that no server of the test works on it. Without the records that it needs, none is stored. */
function storeSql(job: Job, definition: Definition): string {
  const given = job.inputs.filter(({ required }) => required);
  const values = given.map((input) => `${quotedText(input.name)}, ${valueSql(input, definition)}`);
  const records = given.filter(({ finds }) => finds).map((input) => `${valueSql(input, definition)} IS NOT NULL`);
  return `INSERT INTO "kiln_jobs" ("kind", "input", "due_at")
SELECT ${quotedText(jobKind(job, definition))}, jsonb_build_object(${values.join(', ')}), now() + interval '1 day'
WHERE ${['true', ...records].join(' AND ')} RETURNING "kind"`;
}

function valueSql({ finds, type }: ValueInput, { models, enums }: Definition): string {
  if (finds) {
    const table = models.find(({ name }) => name === finds.model)?.table ?? '';
    return `(SELECT "id" FROM ${quotedName(table)} ORDER BY "id" LIMIT 1)`;
  }
  if (type.many) return `'[]'::jsonb`;
  const text = quotedText(madeUp(type, enums));
  return ['integer', 'float', 'boolean'].includes(type.kind) ? `${text}::jsonb` : `${text}::text`;
}

/** `missing` are the jobs that are not tried. */
export async function testJobs(
  tested: ServedImage,
  databaseUrl: string,
  position: number,
  missing: readonly string[],
): Promise<Verdict> {
  const of = `jobs of release ${position}`;
  const run = await tested.run({ words: CHECK, databaseUrl, what: CHECKED });
  if (run.code === JOB_FAILS) throw jobsFail(position, run);
  if (run.code !== 0) return { of, outcome: 'skipped', says: `not tried: ${run.lines[0]}`, details: missing };
  return { of, outcome: 'passed', says: `release ${position}: ${run.lines[1]}`, details: missing };
}

function jobsFail(position: number, { lines }: RunCommand): SmokeFailure {
  const failing = lines.filter((line) => line.startsWith('job '));
  const what = `Jobs that release ${position} has stored fail on this release, and so would those that wait during a rollout`;
  const advice =
    'Let the job accept what is stored, or give the changed job a new name and keep the old one until none of it waits.';
  return new SmokeFailure(`${what}: ${failing.join('; ')}. ${advice}`, lastLines(lines));
}

// ── Mails ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The populator of development, or else the first one. */
export function populatorOf({ populators }: Definition): string | null {
  const names = populators.map(({ name }) => name);
  return names.find((name) => name === 'Dev') ?? names[0] ?? null;
}

/** Makes each mail of the release from a record of its populator. Nothing is sent. */
export async function testMails(
  tested: ServedImage,
  postgres: SmokePostgres,
  database: DatabaseName,
  definition: Definition,
): Promise<Verdict> {
  const mails = definition.jobs?.filter(({ delivers }) => delivers === 'mail') ?? [];
  const databaseUrl = postgres.url(database);
  const of = 'mails';
  const skipped = (why: string): Verdict => ({ of, outcome: 'skipped', says: `not made: ${why}`, details: [] });
  const populator = populatorOf(definition);
  if (populator === null) return skipped('there is no populator');
  const what = `\`populate\` with ${populator}`;
  const filled = await tested.run({ words: ['populate', '--populator', populator], databaseUrl, what });
  if (filled.code !== 0) return skipped(`the populator ${populator} fails`);
  const lacking = await storeEach(postgres, database, mails, definition);
  const run = await tested.run({ words: CHECK, databaseUrl, what: '`check` of mails' });
  const failing = run.lines.filter((line) => mails.some((mail) => isAbout(line, mail, definition)));
  if (run.code === JOB_FAILS && failing.length > 0)
    throw new SmokeFailure(`Mails cannot be made from the records of ${populator}: ${failing.join('; ')}.`, []);
  if (run.code !== 0) return skipped(run.lines[0] ?? '');
  const says = `${mails.length - lacking.length} of ${mails.length} made from the records of ${populator}`;
  return { of, outcome: 'passed', says, details: lacking.map(({ name }) => `${name}: there is no record for it`) };
}
