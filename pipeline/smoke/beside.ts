/**
 * Whether the release before goes on working on the upgraded database: between `migrate` and the end of a rollout its
 * images serve it too. All of its statements are checked there, and its image becomes ready and answers its lists.
 */
import { plural } from '../../compiler/diagnostics/plural.ts';
import { runCommand } from './image-command.ts';
import { listRoutes } from './list-routes.ts';
import { type PreviousRelease, previousDatabase, specBefore, type Upgrade } from './previous-database.ts';
import type { Room } from './room.ts';
import type { RunCommand } from './room-container.ts';
import { type ServedImage, serveImage } from './serve-image.ts';
import { SmokeFailure } from './smoke-failure.ts';
import type { DatabaseName, SmokePostgres } from './smoke-postgres.ts';

/** Says how it was tested, or why not. */
export async function testBeside(room: Room, postgres: SmokePostgres, upgrade: Upgrade): Promise<string> {
  const { previous } = upgrade;
  const { beside } = previous;
  switch (beside.kind) {
    case 'untested':
      return untested(previous, beside.why);
    case 'statements':
      return `${await statementsAlone(room, postgres, upgrade)}; not run, since the engine has no ${beside.missing}`;
    case 'image':
      return wholeImage(room, postgres, upgrade, beside.image);
  }
}

export function releaseText({ position, revision }: Pick<PreviousRelease, 'position' | 'revision'>): string {
  return `release ${position} (${revision.slice(0, 12)})`;
}

function untested({ position }: PreviousRelease, why: string): string {
  return `not tested beside release ${position}: ${why}`;
}

const OLDER = 'it was built by an older Kiln';
/** What an image ends with that does not know the command. */
const UNKNOWN_COMMAND = 2;

async function statementsAlone(room: Room, postgres: SmokePostgres, upgrade: Upgrade): Promise<string> {
  const { previous, signal } = upgrade;
  const spec = specBefore(upgrade, { DATABASE_URL: postgres.url('previous') }, ['check']);
  const run = await runCommand(room, spec, `\`check\` of ${releaseText(previous)}`, signal);
  if (run.code !== 0) throw doesNotFit(previous, run);
  return `${releaseText(previous)}: ${run.lines[0]}`;
}

async function wholeImage(room: Room, postgres: SmokePostgres, upgrade: Upgrade, image: string): Promise<string> {
  const { previous } = upgrade;
  const server = await servedOn('previous', room, postgres, upgrade, image);
  const run = await server.check();
  if (run?.code === UNKNOWN_COMMAND) return untested(previous, OLDER);
  if (run && run.code !== 0) throw doesNotFit(previous, run);
  await server.ready().catch((error: unknown) => {
    throw error instanceof SmokeFailure ? advised(previous, error) : error;
  });
  const routes = listRoutes(previous.definition);
  const known = await brokenBefore(room, postgres, upgrade, image, server, routes);
  const answered = `${plural(routes.length - known.length, 'list')} answered`;
  const broken = known.map((route) => `, \`GET ${route}\` fails as it did before`).join('');
  return `${releaseText(previous)}: ${run?.lines[0] ?? ''}, ${answered}${broken}`;
}

function servedOn(
  database: DatabaseName,
  room: Room,
  postgres: SmokePostgres,
  { previous, signal }: Upgrade,
  image: string,
): Promise<ServedImage> {
  const of = ` of ${releaseText(previous)}`;
  return serveImage(room, { image, of, databaseUrl: postgres.url(database), signal });
}

/**
 * Which of these fail on a database of their own release too: whoever mends such a list must be able to release it. One
 * that fails only on the upgraded database is thrown.
 */
async function brokenBefore(
  room: Room,
  postgres: SmokePostgres,
  upgrade: Upgrade,
  image: string,
  server: ServedImage,
  routes: readonly string[],
): Promise<readonly string[]> {
  const broken = await server.broken(routes);
  if (broken.length === 0) return [];
  await previousDatabase(room, postgres, upgrade, 'before');
  const itself = await servedOn('before', room, postgres, upgrade, image);
  await itself.ready();
  const before = (await itself.broken(broken.map(({ route }) => route))).map(({ route }) => route);
  const isNew = broken.find(({ route }) => !before.includes(route));
  if (isNew) throw advised(upgrade.previous, await server.failure(isNew));
  return before;
}

function doesNotFit(previous: PreviousRelease, { lines: [first = '', ...others] }: RunCommand): SmokeFailure {
  return advised(previous, new SmokeFailure(`${first} (${releaseText(previous)}).`, others));
}

function advised({ position }: PreviousRelease, { sentence, log }: SmokeFailure): SmokeFailure {
  const what = `Release ${position} does not work on the database of this release, so requests to it would fail during a rollout`;
  const advice =
    'Split the change into two releases: one that adds what is new, and a later one that drops what is old.';
  return new SmokeFailure(`${what}: ${sentence} ${advice}`, log);
}
