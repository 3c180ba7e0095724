/**
 * Whether databases pass over a release that the tested one withdraws: one of the previous release, and copies of that
 * which have begun it and were stopped, early and late. All must come to the tested release with the same records, and
 * the release that they come from must go on working. A database that has completed it is upgraded like any other.
 */
import { RAISED_BY_MIGRATION } from '../../compiler/definition/migration.ts';
import { quotedName } from '../../compiler/definition/sql/names.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { statementsAlone } from './beside.ts';
import { refusalIn } from './certificate.ts';
import { allOf, SmokeFailure } from './deadline.ts';
import {
  type EarlierRelease,
  layersOnBase,
  previousDatabase,
  refusedUpgrade,
  releaseText,
  type Untested,
} from './previous-database.ts';
import type { Sandbox } from './sandbox.ts';
import type { RunImageCommand } from './sandbox-container.ts';
import type { ServedImage } from './serve-image.ts';
import type { DatabaseName, SmokePostgres } from './smoke-postgres.ts';
import type { Verdict } from './steps.ts';

export interface Withdrawn {
  /** The position of the withdrawn release. */
  readonly position: number;
  readonly revision: string;
  readonly path: Path | Untested;
}

/** How databases come to the tested release that have not completed the withdrawn one. */
interface Path {
  /** The release that precedes the withdrawn one. */
  readonly from: EarlierRelease;
  readonly begun: readonly Begun[];
  /** The names of columns whose values are computed on the way; null where also others stay changed. */
  readonly computed: readonly string[] | null;
}

/** The release that such a database may have begun: the withdrawn one, or one that has withdrawn it before. */
interface Begun {
  readonly release: EarlierRelease;
  readonly steps: number;
}

/** The databases of one withdrawal, which can be made before there is an image to test. */
export interface Passage {
  readonly withdrawn: Withdrawn;
  readonly prepared: Promise<Prepared> | Untested;
}

interface Prepared {
  readonly path: Path;
  /** Runs commands of the previous release. */
  readonly run: RunImageCommand;
  /** How the database of the previous release was filled. */
  readonly filled: string;
  /** The columns of the tables of that release. */
  readonly columns: TableColumns;
  /** The first one has begun nothing. */
  readonly databases: readonly [Passing, ...Passing[]];
}

interface Passing {
  readonly name: DatabaseName;
  /** `stopped after step 7 of 8` */
  readonly state: string;
}

interface PassageInput {
  readonly sandbox: Sandbox;
  readonly postgres: Promise<SmokePostgres>;
  /** The image that the layers of a release are put on. */
  readonly base: string;
  /** The commands of releases that are in the sandbox already. */
  readonly known: ReadonlyMap<string, RunImageCommand>;
  readonly signal: AbortSignal;
}

export function startPassages(input: PassageInput, withdrawn: readonly Withdrawn[]): readonly Passage[] {
  const started = new Map(input.known);
  const commands = (release: EarlierRelease): RunImageCommand => {
    const own = started.get(release.revision) ?? layersOnBase(input.sandbox, input, release);
    started.set(release.revision, own);
    return own;
  };
  return withdrawn.map((each, at) => {
    if ('untested' in each.path) return { withdrawn: each, prepared: each.path };
    const prepared = preparedFor(input.postgres, each.path, `around_${at + 1}`, commands);
    // The caller that awaits it gets the error.
    prepared.catch(() => undefined);
    return { withdrawn: each, prepared };
  });
}

async function preparedFor(
  opening: Promise<SmokePostgres>,
  path: Path,
  name: `around_${number}`,
  commandsFor: (release: EarlierRelease) => RunImageCommand,
): Promise<Prepared> {
  const stops = path.begun.flatMap((begun) => stopsOf(begun.steps).map((step) => ({ begun, step })));
  // They start while the database is made.
  const run = commandsFor(path.from);
  for (const { begun } of stops) commandsFor(begun.release);
  const postgres = await opening;
  await postgres.create(name);
  const filled = await previousDatabase({ previous: path.from, run }, postgres.url(name));
  const columns = await tableColumns(postgres, name);
  const copies = stops.map((_, at): DatabaseName => `${name}_${at + 1}`);
  for (const copy of copies) await postgres.copy(name, copy);
  const states = await allOf(
    stops.map(({ begun, step }, at) => {
      const databaseUrl = postgres.url(copies[at] as DatabaseName);
      return stoppedState(commandsFor(begun.release), begun, step, databaseUrl);
    }),
  );
  const begun = states.map((state, at) => ({ name: copies[at] as DatabaseName, state }));
  return { path, run, filled, columns, databases: [{ name, state: 'not begun' }, ...begun] };
}

/** Stops after the first step, and before the last one. */
function stopsOf(steps: number): readonly number[] {
  return steps < 2 ? [] : [...new Set([1, steps - 1])];
}

/** Rows of the populator may stop it earlier, as those of a real database did. */
async function stoppedState(
  runCommand: RunImageCommand,
  { release, steps }: Begun,
  step: number,
  databaseUrl: string,
): Promise<string> {
  const words = ['migrate', '--json', '--stop-after', String(step)];
  const what = `\`migrate\` of ${releaseText(release)}, to be stopped after step ${step} of ${steps},`;
  const run = await runCommand({ words, databaseUrl, what });
  const refusal = refusalIn(run.lines);
  if (refusal?.reason === 'stopped') return `stopped after step ${step} of ${steps}`;
  if (refusal?.reason === 'failed' && refusal.failure) return `failed at step ${refusal.failure.step} of ${steps}`;
  throw refusedUpgrade(what, run);
}

export async function testPassage(
  postgres: SmokePostgres,
  tested: ServedImage,
  { withdrawn, prepared: preparing }: Passage,
): Promise<Verdict> {
  const release = releaseText(withdrawn);
  const of = `withdrawal of release ${withdrawn.position}`;
  if ('untested' in preparing)
    return {
      of,
      outcome: 'skipped',
      says: `${release}: not tested, because ${preparing.untested}`,
      details: preparing.details,
    };
  const prepared = await preparing;
  const { path, run, filled, databases } = prepared;
  const from = `${releaseText(path.from)}, ${filled}`;
  const about = `${release}, from ${from}`;
  const ends = await allOf(databases.map((each) => passedOrStopped(postgres, tested, each, about)));
  const isStopped = ends.some((end) => end !== null);
  const passed = databases.filter((_, at) => ends[at] === null);
  const records = await mustBeEqual(postgres, prepared, passed, release);
  const beside = await statementsAlone(postgres.url(databases[0].name), { previous: path.from, run });
  const states = databases.map(({ state }, at) => (ends[at] ? `${state}: ${ends[at]}` : state));
  return { of, outcome: isStopped ? 'warned' : 'passed', says: `${about}: ${states.join('; ')}`, details: [records, beside] };
}

/**
 * Migrates a database past the withdrawn release. Null where it reaches the tested release; otherwise what somebody has
 * to do first: the undo stops where rows have values that only the withdrawn release knows, and no change of the
 * sources could help that.
 */
async function passedOrStopped(
  postgres: SmokePostgres,
  tested: ServedImage,
  { name, state }: Passing,
  about: string,
): Promise<string | null> {
  const what = `\`migrate\` of a database that withdraws ${about} (${state})`;
  const run = await tested.run({ words: ['migrate', '--json'], databaseUrl: postgres.url(name), what });
  if (run.code === 0) return null;
  const refusal = refusalIn(run.lines);
  const isForPeople = refusal?.failure?.phase === 'withdraw' && refusal.failure.sqlState === RAISED_BY_MIGRATION;
  if (!isForPeople) throw refusedUpgrade(what, run);
  return `\`migrate\` will stop: ${refusal.message.replace(/\.$/, '')}`;
}

/** Checks that a release that was begun and undone leaves no trace. Returns what was compared. */
async function mustBeEqual(
  postgres: SmokePostgres,
  { path: { computed }, columns, databases: [first] }: Prepared,
  passed: readonly Passing[],
  release: string,
): Promise<string> {
  const content = await contentOf(postgres, first.name, columns);
  for (const { name, state } of passed) {
    const difference = contentDifference(content, await contentOf(postgres, name, columns), computed);
    if (difference === undefined) continue;
    const what = `A database that has withdrawn ${release} (${state}) has other records than one that has not begun it`;
    throw new SmokeFailure(`${what}: ${difference}. This is a bug of Kiln: please report it.`, []);
  }
  const records = content.reduce((sum, table) => sum + table.records, 0);
  return `${plural(records, 'record')} in ${plural(content.length, 'table')}, the same in ${plural(passed.length, 'database')}`;
}

// ── Database content ─────────────────────────────────────────────────────────────────────────────────────────────────

// The contents of the tables of two databases, as far as they can be compared without reading them.

/** The columns of each table, both by name. */
type TableColumns = ReadonlyMap<string, readonly string[]>;

export interface TableContent {
  readonly table: string;
  readonly records: number;
  /** A digest of the values by column. */
  readonly values: ReadonlyMap<string, string>;
}

const COLUMNS = `SELECT coalesce(json_agg(json_build_array(relname, attname) ORDER BY relname, attnum), '[]')::text AS found
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
    AND NOT starts_with(relname, 'kiln_')`;

async function tableColumns(postgres: SmokePostgres, database: DatabaseName): Promise<TableColumns> {
  const [row] = await postgres.firstRows(database, [COLUMNS]);
  const found = JSON.parse(row?.found ?? '[]') as readonly (readonly [string, string])[];
  const tables = new Map<string, string[]>();
  for (const [table, column] of found) tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}

/** Reads the contents of all tables, limited to the columns that were there before. */
async function contentOf(
  postgres: SmokePostgres,
  database: DatabaseName,
  before: TableColumns,
): Promise<readonly TableContent[]> {
  const tables = [...(await tableColumns(postgres, database))].map(([table, columns]) => ({
    table,
    columns: columns.filter((column) => before.get(table)?.includes(column)),
  }));
  const rows = tables.length === 0 ? [] : await postgres.firstRows(database, tables.map(digestSql));
  return tables.map(({ table, columns }, at) => ({
    table,
    records: Number(rows[at]?.records),
    values: new Map(columns.map((column, index) => [column, String(rows[at]?.[`value_${index}`])])),
  }));
}

/** The order of rows does not count. */
function digestSql({ table, columns }: { readonly table: string; readonly columns: readonly string[] }): string {
  const digests = columns.map(
    (column, at) => `coalesce(sum(hashtextextended(${quotedName(column)}::text, 0)::numeric), 0)::text AS value_${at}`,
  );
  return `SELECT ${['count(*)::text AS records', ...digests].join(', ')} FROM ${quotedName(table)}`;
}

/**
 * Describes the difference in a few words; undefined where there is none. `computed` names columns that may differ;
 * null means all.
 */
export function contentDifference(
  expected: readonly TableContent[],
  found: readonly TableContent[],
  computed: readonly string[] | null,
): string | undefined {
  const others = new Map(found.map((content) => [content.table, content]));
  for (const { table, records, values } of expected) {
    const other = others.get(table);
    if (other?.records !== records) return `"${table}" has ${other?.records ?? 0} instead of ${records}`;
    const columns = computed === null ? [] : [...values.keys()].filter((column) => !computed.includes(column));
    const wrong = columns.find((column) => other.values.get(column) !== values.get(column));
    if (wrong !== undefined) return `values of "${wrong}" in "${table}" differ`;
  }
  return undefined;
}
