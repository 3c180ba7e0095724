/**
 * Whether an image does what it has to, with a real Postgres: it migrates an empty database and a filled one of the
 * release before, serves under the strictest rules, answers its lists, and ends when it is told to. The release before
 * has to go on working on the database that was migrated. Whatever does not work is thrown as a `SmokeFailure`; no
 * container, network or volume stays, however it ends.
 */
import type Docker from 'dockerode';
import type { Definition } from '../../compiler/definition/definition.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { once } from '../../files/once.ts';
import { accessPlan, accessText, accessVerdict, testAccess } from './access-test.ts';
import { testBeside } from './beside.ts';
import { type Certificate, certificateVerdict, FIRST_RELEASE, mustNotFail } from './certificate.ts';
import { ImageCommands } from './image-command.ts';
import { listRoutes } from './list-routes.ts';
import { judgePlans } from './plan-verdict.ts';
import { commandsOfBefore, type PreviousRelease, type Upgrade, upgradeDatabase } from './previous-database.ts';
import { Room } from './room.ts';
import type { RunCommand } from './room-container.ts';
import { mustBeUnprivileged, type ServedImage, serveImage } from './serve-image.ts';
import { SmokeFailure } from './smoke-failure.ts';
import { randomPassword, type SmokePostgres, startPostgres } from './smoke-postgres.ts';
import type { Verdict } from './verdict.ts';

interface SmokeInput {
  readonly image: string;
  /** For the commands of the release before. */
  readonly base: string;
  readonly postgres: string;
  /** Whose test it is. One owner tests one image at a time. */
  readonly owner: string;
  readonly definition: Definition;
  /** `guarded`: it fails where no index serves a statement. */
  readonly plans?: 'guarded' | undefined;
  readonly previous: PreviousRelease | null;
  readonly signal: AbortSignal;
}

/** Tells each step with its time, and keeps what was shown. */
export interface SmokeSteps {
  judge(verdict: Verdict): void;
  /** More about the step before. */
  note(lines: readonly string[]): void;
  run<T>(name: string, work: () => T | Promise<T>, detail?: string | ((result: T) => string)): Promise<T>;
}

/** Where an image is tested. Nothing of the image is needed to open it, so Postgres starts while the image is made. */
export interface TestRoom {
  readonly room: Room;
  readonly postgres: Promise<SmokePostgres>;
  /** With all that still starts in it. A second call waits for the first. */
  close(): Promise<void>;
}

type Images = Pick<SmokeInput, 'postgres' | 'owner' | 'signal'>;

async function openTestRoom(docker: Docker, { postgres: image, owner, signal }: Images): Promise<TestRoom> {
  const password = randomPassword();
  const room = await Room.open(docker, owner, [password]);
  const over = new AbortController();
  const postgres = startPostgres(room, image, password, AbortSignal.any([signal, over.signal]));
  // Whoever waits for it hears of it.
  postgres.catch(() => undefined);
  const closed = once(async () => {
    over.abort();
    await Promise.allSettled([postgres]);
    await room.close();
  });
  return { room, postgres, close: closed };
}

/** The room is closed when `use` is through, at the latest. */
export async function withTestRoom<T>(
  docker: Docker,
  images: Images,
  use: (room: Promise<TestRoom>) => Promise<T>,
): Promise<T> {
  const opening = openTestRoom(docker, images);
  opening.catch(() => undefined);
  try {
    return await use(opening);
  } finally {
    await opening.then(
      ({ close }) => close(),
      () => undefined,
    );
  }
}

/** In a room of its own. */
export function smokeTest(docker: Docker, input: SmokeInput, steps: SmokeSteps): Promise<void> {
  return withTestRoom(docker, input, (room) => smokeTestIn(room, docker, input, steps));
}

export async function smokeTestIn(
  opening: Promise<TestRoom>,
  docker: Docker,
  input: SmokeInput,
  steps: SmokeSteps,
): Promise<void> {
  await mustBeUnprivileged(docker, input.image);
  const { room, postgres: starting } = await opening;
  const { image, base, previous, signal } = input;
  // Their containers start beside Postgres.
  const commands = new ImageCommands(room, { image }, signal);
  const commandsBefore = previous && commandsOfBefore(room, base, previous, signal);
  const upgrade = previous && commandsBefore && { commands, commandsBefore, previous, signal };
  const postgres = await steps.run('postgres', () => starting, input.postgres);
  const url = await migrated(postgres, commands, upgrade, steps);
  await servedBoth(room, postgres, url, upgrade, input, steps);
}

/** Both at once. Gives the database that is the most like one in production. */
async function migrated(
  postgres: SmokePostgres,
  commands: ImageCommands,
  upgrade: Upgrade | null,
  steps: SmokeSteps,
): Promise<string> {
  const what = '`migrate` of an empty database';
  const empty = steps.run(
    'migrate',
    () => commands.mustSucceed({ words: ['migrate'], databaseUrl: postgres.url('empty'), what }),
    'an empty database',
  );
  if (upgrade === null) {
    steps.judge(FIRST_RELEASE);
    return allDone([empty]).then(() => postgres.url('empty'));
  }
  const { previous } = upgrade;
  const filled = steps.run(
    'upgrade',
    () => upgradeDatabase(postgres, upgrade),
    (how) => `a database of ${previous.revision.slice(0, 12)}, ${how.filled}`,
  );
  await allDone([empty, filled]);
  await certified((await filled).certificate, previous, steps);
  return postgres.url('previous');
}

/** Where the database needs no change there is nothing to tell. */
async function certified(certificate: Certificate, { position }: PreviousRelease, steps: SmokeSteps): Promise<void> {
  const verdict = certificateVerdict(certificate, position + 1);
  steps.judge(verdict);
  if (certificate?.length !== 0) await steps.run('locks', () => mustNotFail(verdict), verdict.says);
}

/** Also where one fails the others come to their end: nothing is started any more when the room is closed. */
async function allDone(works: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** At the same time. What is told of the release before comes last, with the time that it has added. */
async function servedBoth(
  room: Room,
  postgres: SmokePostgres,
  url: string,
  upgrade: Upgrade | null,
  input: SmokeInput,
  steps: SmokeSteps,
): Promise<void> {
  const beside = upgrade && testBeside(room, postgres, upgrade);
  const settled = Promise.allSettled([beside]);
  await served(room, postgres, url, input, steps).catch(async (error: unknown) => {
    await settled;
    throw error;
  });
  if (beside === null) return;
  await steps.run('beside', () => beside, String);
}

async function served(
  room: Room,
  postgres: SmokePostgres,
  url: string,
  input: SmokeInput,
  steps: SmokeSteps,
): Promise<void> {
  const { image, definition, signal } = input;
  const { server, check } = await steps.run('ready', async () => {
    const starting = await serveImage(room, { image, of: '', databaseUrl: url, signal });
    const checking = starting.check('--plans');
    // A server that does not start is told of first.
    checking.catch(() => undefined);
    await starting.ready();
    return { server: starting, check: checking };
  });
  const lines = await steps.run('statements', async () => fitting(await check), firstOf);
  await judgePlans(lines, input.plans, steps);
  const routes = listRoutes(definition);
  await steps.run('requests', () => mustAnswer(server, routes), `${plural(routes.length, 'list')} answered`);
  await refusing(server, postgres, input, steps);
  await steps.run('stop', () => server.stop(), 'SIGTERM, exit code 0');
}

/** Whether the callers are refused that the rules keep out. Last, since it makes an account. */
async function refusing(
  server: ServedImage,
  postgres: SmokePostgres,
  { definition, previous, signal }: SmokeInput,
  steps: SmokeSteps,
): Promise<void> {
  const { address } = server;
  const firstRows = (statements: readonly string[]) =>
    postgres.firstRows(previous === null ? 'empty' : 'previous', statements);
  const plan = accessPlan(definition);
  if (plan === null) return steps.judge(accessVerdict(null));
  const tested = await steps.run('access', () => testAccess(plan, { address, firstRows, signal }), accessText);
  steps.judge(accessVerdict(tested));
  if (tested.letIn.length > 0) throw await server.complaint(tested.letIn.join('. '));
}

async function mustAnswer(server: ServedImage, routes: readonly string[]): Promise<void> {
  const [first] = await server.broken(routes);
  if (first) throw await server.failure(first);
}

/** Nothing of an author's can be the reason: the tables were made for these very statements. */
function fitting(run: RunCommand | null): readonly string[] {
  const { code, lines } = run ?? { code: 1, lines: ['`serve` ended while its statements were checked'] };
  if (code === 0) return lines;
  const [first = '', ...others] = lines;
  const sentence = `The database cannot run a statement of this release: ${first}.`;
  throw new SmokeFailure(`${sentence} This is a bug of Kiln: please report it.`, others);
}

function firstOf([first = '']: readonly string[]): string {
  return first;
}
