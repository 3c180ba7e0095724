/**
 * Whether databases pass over a release that the tested one withdraws: one of the previous release, and copies of that
 * which have begun it and were stopped, early and late. All must come to the tested release, and the release that they
 * come from must go on working. A database that has completed it is upgraded like any other.
 */
import { RAISED_BY_MIGRATION } from '../../compiler/definition/migration.ts';
import { statementsAlone } from './beside.ts';
import { allOf } from './deadline.ts';
import {
  type EarlierRelease,
  layersOnBase,
  previousDatabase,
  refusedUpgrade,
  releaseText,
  type Untested,
} from './previous-database.ts';
import { refusalIn } from './refusal-in.ts';
import type { Sandbox } from './sandbox.ts';
import type { RunImageCommand } from './sandbox-container.ts';
import type { ServedImage } from './serve-image.ts';
import type { Verdict } from './steps.ts';
import type { DatabaseName, SmokePostgres } from './test-sandbox.ts';

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
  const copies = stops.map((_, at): DatabaseName => `${name}_${at + 1}`);
  for (const copy of copies) await postgres.copy(name, copy);
  const states = await allOf(
    stops.map(({ begun, step }, at) => {
      const databaseUrl = postgres.url(copies[at] as DatabaseName);
      return stoppedState(commandsFor(begun.release), begun, step, databaseUrl);
    }),
  );
  const begun = states.map((state, at) => ({ name: copies[at] as DatabaseName, state }));
  return { path, run, filled, databases: [{ name, state: 'not begun' }, ...begun] };
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
  const { path, run, filled, databases } = await preparing;
  const from = `${releaseText(path.from)}, ${filled}`;
  const about = `${release}, from ${from}`;
  const ends = await allOf(databases.map((each) => passedOrStopped(postgres, tested, each, about)));
  const isStopped = ends.some((end) => end !== null);
  const beside = await statementsAlone(postgres.url(databases[0].name), { previous: path.from, run });
  const states = databases.map(({ state }, at) => (ends[at] ? `${state}: ${ends[at]}` : state));
  return { of, outcome: isStopped ? 'warned' : 'passed', says: `${about}: ${states.join('; ')}`, details: [beside] };
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
