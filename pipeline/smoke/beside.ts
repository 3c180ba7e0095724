/**
 * Whether the previous release goes on working on the upgraded database: between `migrate` and the end of a rollout its
 * images serve it too. All of its statements are checked there, and its image becomes ready and answers its lists.
 */
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { SmokeFailure } from './deadline.ts';
import {
  type CommandsOfBefore,
  type EarlierRelease,
  type Filled,
  layersOnBase,
  type PreviousRelease,
  previousDatabase,
  refusedUpgrade,
  releaseText,
  type Started,
  serveBefore,
  type Untested,
  type Upgrade,
} from './previous-database.ts';
import type { Sandbox } from './sandbox.ts';
import type { RunCommand, RunImageCommand } from './sandbox-container.ts';
import { listRoutes, type ServedImage } from './serve-image.ts';
import type { Verdict } from './steps.ts';
import { hasJobs, storeJobs, testJobs } from './stored-jobs.ts';
import type { DatabaseName, SmokePostgres } from './test-sandbox.ts';

/** Says how it was tested, or why not. */
export async function testBeside(sandbox: Sandbox, postgres: SmokePostgres, upgrade: Upgrade): Promise<string> {
  const { previous } = upgrade;
  const { beside } = previous;
  switch (beside.kind) {
    case 'untested':
      return untested(previous, beside.why);
    case 'statements':
      return `${await statementsAlone(postgres.url('previous'), upgrade)}; not run, since the engine has no ${beside.missing}`;
    case 'image':
      return wholeImage(sandbox, postgres, upgrade, beside.image);
  }
}

function untested({ position }: EarlierRelease, why: string): string {
  return `not tested beside release ${position}: ${why}`;
}

/** The exit code of `check` for a statement that does not fit. */
const DOES_NOT_FIT = 3;

/** Whether all statements of an earlier release can be planned on this database. */
export async function statementsAlone(
  databaseUrl: string,
  { previous, run: runCommand }: CommandsOfBefore,
): Promise<string> {
  const run = await runCommand({ words: ['check'], databaseUrl, what: `\`check\` of ${releaseText(previous)}` });
  if (run.code === DOES_NOT_FIT) throw doesNotFit(previous, run);
  // Its code cannot be loaded, which is no fault of the new release.
  if (run.code !== 0) return untested(previous, `its \`check\` ended with ${run.code}`);
  return `${releaseText(previous)}: ${run.lines[0]}`;
}

async function wholeImage(sandbox: Sandbox, postgres: SmokePostgres, upgrade: Upgrade, image: string): Promise<string> {
  const { previous } = upgrade;
  // It was started where its image is tested.
  const server = await (upgrade.server as Promise<ServedImage>);
  const run = await server.check();
  if (run?.code === DOES_NOT_FIT) throw doesNotFit(previous, run);
  const failure = await failureOf(server.ready());
  const own = () => ownServer(sandbox, postgres, upgrade, image);
  if (failure && (await failureOf((await own()).ready())))
    return untested(previous, 'it does not start on its own database');
  if (failure) throw advised(previous, failure);
  const routes = listRoutes(previous.definition);
  const known = await brokenBefore(previous, server, routes, own);
  const answered = `${plural(routes.length - known.length, 'list')} answered`;
  const broken = known.map((route) => `, \`GET ${route}\` fails as it did before`).join('');
  return `${releaseText(previous)}: ${run?.lines[0] ?? ''}, ${answered}${broken}`;
}

/**
 * Serves the same image on a database as its own release has left it: a release that fixes a failure there must be
 * possible.
 */
async function ownServer(sandbox: Sandbox, postgres: SmokePostgres, upgrade: Upgrade, image: string) {
  await postgres.create('before');
  const databaseUrl = postgres.url('before');
  await previousDatabase(upgrade, databaseUrl);
  const { previous, signal } = upgrade;
  return serveBefore(sandbox, { image, databaseUrl, previous, signal });
}

/**
 * Finds the routes that fail on a database of their own release too. A route that fails only on the upgraded database
 * is thrown.
 */
async function brokenBefore(
  previous: PreviousRelease,
  server: ServedImage,
  routes: readonly string[],
  own: () => Promise<ServedImage>,
): Promise<readonly string[]> {
  const broken = await server.broken(routes);
  if (broken.length === 0) return [];
  const itself = await own();
  await itself.ready();
  const before = (await itself.broken(broken.map(({ route }) => route))).map(({ route }) => route);
  const isNew = broken.find(({ route }) => !before.includes(route));
  if (isNew) throw advised(previous, await server.failure(isNew));
  return before;
}

async function failureOf(work: Promise<void>): Promise<SmokeFailure | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof SmokeFailure) return error;
    throw error;
  }
}

function doesNotFit(previous: EarlierRelease, { lines: [first = '', ...others] }: RunCommand): SmokeFailure {
  return advised(previous, new SmokeFailure(`${first} (${releaseText(previous)}).`, others));
}

function advised({ position }: EarlierRelease, { sentence, log }: SmokeFailure): SmokeFailure {
  const what = `Release ${position} does not work on the database of this release, so requests to it would fail during a rollout`;
  const advice =
    'Split the change into two releases: one that adds what is new, and a later one that drops what is old.';
  return new SmokeFailure(`${what}: ${sentence} ${advice}`, log);
}

// ── Live upgrade ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Databases of releases that are recorded as live, other than the one that all of the test starts from: they are upgraded too.

export interface LiveUpgrade {
  /** `release 3 (86ad6bd1da51), live in production` */
  readonly says: string;
  /** Why its images do not work beside the tested one; null where they do. */
  readonly unsafe: string | null;
  readonly release: EarlierRelease | Untested;
}

/** The part of an upgrade that needs the live release alone. */
export interface StartedUpgrade {
  readonly live: LiveUpgrade;
  readonly database: DatabaseName;
  readonly run: RunImageCommand | null;
  /** Its database, when it is there. */
  readonly filled: Promise<Filled> | null;
}

interface UpgradeInput extends Started {
  readonly base: string;
  readonly signal: AbortSignal;
}

export function startLive(input: UpgradeInput, live: readonly LiveUpgrade[]): readonly StartedUpgrade[] {
  return live.map((each, at) => {
    const { release } = each;
    const database: DatabaseName = `live_${at + 1}`;
    if ('untested' in release) return { live: each, database, run: null, filled: null };
    const run = layersOnBase(input.sandbox, input, release);
    const filled = input.postgres.then(async (postgres) => {
      await postgres.create(database);
      const how = await previousDatabase({ previous: release, run }, postgres.url(database));
      return { how, untried: await storeJobs(postgres, database, release.definition, run) };
    });
    // The caller that awaits it gets the error.
    filled.catch(() => undefined);
    return { live: each, database, run, filled };
  });
}

export async function testLive(
  postgres: SmokePostgres,
  tested: ServedImage,
  { live, database, run, filled }: StartedUpgrade,
): Promise<Verdict> {
  const { says, unsafe, release } = live;
  const of = `upgrade from ${says}`;
  if (run === null || filled === null || 'untested' in release) {
    const { untested, details } = release as Untested;
    return { of, outcome: 'skipped', says: `${says}: not tested, because ${untested}`, details };
  }
  const { how, untried } = await filled;
  const databaseUrl = postgres.url(database);
  const what = `\`migrate\` of a database of ${says} (${how})`;
  const migrated = await tested.run({ words: ['migrate', '--json'], databaseUrl, what });
  if (migrated.code !== 0) throw refusedUpgrade(what, migrated);
  const beside = unsafe ?? (await statementsAlone(databaseUrl, { previous: release, run }));
  const tried = hasJobs(release.definition)
    ? [(await testJobs(tested, databaseUrl, release.position, untried)).says]
    : [];
  return {
    of,
    outcome: unsafe === null ? 'passed' : 'warned',
    says: `a database of ${says}, ${how}`,
    details: [beside, ...tried],
  };
}
