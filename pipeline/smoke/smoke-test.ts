/**
 * Whether an image does what it has to, with a real Postgres: it migrates an empty database and a filled one of the
 * previous release, serves under the strictest rules, answers its lists, and ends when it is told to. The previous release
 * has to go on working on the database that was migrated. Where the image withdraws a release, databases that have begun
 * that one are migrated too. Whatever does not work is thrown as a `SmokeFailure`.
 */

import type Docker from 'dockerode';
import type { Definition } from '../../compiler/definition/definition.ts';
import { sendsMail } from '../../compiler/definition/work.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { findingText, indexFindings } from '../../runtime/query/index-advice.ts';
import { type LiveUpgrade, type StartedUpgrade, startLive, testBeside, testLive } from './beside.ts';
import { allOf, SmokeFailure } from './deadline.ts';
import {
  type Before,
  type PreviousRelease,
  type Started,
  startBefore,
  type Upgrade,
  upgradeDatabase,
} from './previous-database.ts';
import type { Sandbox } from './sandbox.ts';
import { mustHaveSucceeded, type RunCommand } from './sandbox-container.ts';
import { listRoutes, mustBeUnprivileged, type ServedImage, serveImage } from './serve-image.ts';
import type { Steps, Verdict } from './steps.ts';
import { hasJobs, testJobs, testMails } from './stored-jobs.ts';
import type { DatabaseName, SmokePostgres, TestSandbox } from './test-sandbox.ts';
import { type Passage, startPassages, testPassage, type Withdrawn } from './withdrawal.ts';

interface TestedImage {
  readonly image: string;
  readonly definition: Definition;
  /** `guarded`: it fails where an endpoint lacks an index. */
  readonly plans?: 'guarded' | undefined;
}

/** Tells each step with its time, and keeps what was shown. */
export type SmokeSteps = Pick<Steps, 'judge' | 'note' | 'run'>;

interface BeforeInput {
  /** The image that the layers of the previous release are put on. */
  readonly base: string;
  /** Null where there is none, or its code is gone. */
  readonly previous: Promise<PreviousRelease | null>;
  /** The releases that the tested one withdraws. */
  readonly withdrawn: Promise<readonly Withdrawn[]>;
  /** Other releases that are recorded as live. */
  readonly live: Promise<readonly LiveUpgrade[]>;
  /** The image of Postgres, as it is told. */
  readonly postgres: string;
  readonly signal: AbortSignal;
}

/** Gives a test that waits for its image. What needs the previous release alone begins at once. */
export function startSmokeTest(opening: Promise<TestSandbox>, input: BeforeInput) {
  const earlier = opening.then((sandbox) => startEarlier(sandbox, input));
  // The caller that runs the test gets all errors.
  for (const each of [input.previous, input.withdrawn, input.live, earlier]) each.catch(() => undefined);
  return async (docker: Docker, image: TestedImage, steps: SmokeSteps): Promise<void> => {
    const { image: tested, definition } = image;
    await mustBeUnprivileged(docker, tested);
    const { sandbox, postgres: starting, url } = await opening;
    const { before, passages, live } = await earlier;
    const { postgres: name, signal } = input;
    const database: DatabaseName = before === null ? 'empty' : 'previous';
    // It starts while its database is made and migrated, as it may in a rollout: it is not ready until then.
    const serving = serveImage(sandbox, { image: tested, of: '', databaseUrl: url(database), definition, signal });
    // A Postgres that does not start is reported first.
    serving.catch(() => undefined);
    const postgres = await steps.run('postgres', () => starting, name);
    const server = await serving;
    const upgrade = before && { ...before, tested: server, signal };
    await migrated(postgres, server, { upgrade, passages, live }, steps);
    if (sendsMail(definition)) await judged('mails', () => testMails(server, postgres, 'empty', definition), steps);
    await servedBoth({ ...image, sandbox, server, postgres }, upgrade, steps);
  };
}

async function startEarlier(started: Started, input: BeforeInput): Promise<Earlier> {
  const { base, signal } = input;
  const [previous, withdrawn, live] = await Promise.all([input.previous, input.withdrawn, input.live]);
  const before = previous && startBefore(started, { base, previous, signal });
  const known = new Map(before ? [[before.previous.revision, before.run]] : []);
  const passages = startPassages({ ...started, base, known, signal }, withdrawn);
  return { before, passages, live: startLive({ ...started, base, signal }, live) };
}

/** The part of a test that needs earlier releases alone. */
interface Earlier {
  readonly before: Before | null;
  readonly passages: readonly Passage[];
  readonly live: readonly StartedUpgrade[];
}

interface Databases extends Omit<Earlier, 'before'> {
  readonly upgrade: Upgrade | null;
}

/** Runs all migrations at the same time. */
async function migrated(
  postgres: SmokePostgres,
  server: ServedImage,
  { upgrade, passages, live }: Databases,
  steps: SmokeSteps,
): Promise<void> {
  const what = '`migrate` of an empty database';
  const empty = steps.run(
    'migrate',
    async () =>
      mustHaveSucceeded(what, await server.run({ words: ['migrate'], databaseUrl: postgres.url('empty'), what })),
    'an empty database',
  );
  const others = [
    ...passages.map((passage) => judged('withdrawal', () => testPassage(postgres, server, passage), steps)),
    ...live.map((each) => judged('upgrade', () => testLive(postgres, server, each), steps)),
  ];
  if (upgrade === null) {
    await allOf([empty, ...others]);
    return;
  }
  const { previous } = upgrade;
  const filled = steps.run(
    'upgrade',
    () => upgradeDatabase(postgres, upgrade),
    ({ how }) => `a database of ${previous.revision.slice(0, 12)}, ${how}`,
  );
  await allOf<unknown>([empty, filled, ...others]);
  const { untried } = await filled;
  if (!hasJobs(previous.definition)) return;
  await judged('jobs', () => testJobs(server, postgres.url('previous'), previous.position, untried), steps);
}

async function judged(step: string, test: () => Promise<Verdict>, steps: SmokeSteps): Promise<void> {
  steps.judge(await steps.run(step, test, ({ says }) => says));
}

interface Serving extends TestedImage {
  readonly sandbox: Sandbox;
  readonly server: ServedImage;
  readonly postgres: SmokePostgres;
}

/**
 * Serves both releases at the same time. The result of the previous release is reported last, with the time that it has
 * added.
 */
async function servedBoth(serving: Serving, upgrade: Upgrade | null, steps: SmokeSteps): Promise<void> {
  const beside = upgrade && testBeside(serving.sandbox, serving.postgres, upgrade);
  const settled = Promise.allSettled([beside]);
  await served(serving, steps).catch(async (error: unknown) => {
    await settled;
    throw error;
  });
  if (beside === null) return;
  await steps.run('beside', () => beside, String);
}

async function served({ server, definition, plans }: Serving, steps: SmokeSteps): Promise<void> {
  const check = server.check();
  // A server that does not start is reported first.
  check.catch(() => undefined);
  await steps.run('ready', () => server.ready());
  await steps.run('statements', async () => fitting(await check), String);
  await judgePlans(definition, plans, steps);
  const routes = listRoutes(definition);
  await steps.run('requests', () => mustAnswer(server, routes), `${plural(routes.length, 'list')} answered`);
  await steps.run('stop', () => server.stop(), 'SIGTERM, exit code 0');
}

async function mustAnswer(server: ServedImage, routes: readonly string[]): Promise<void> {
  const [first] = await server.broken(routes);
  if (first) throw await server.failure(first);
}

/** Checks a run. The author cannot be the cause of a failure: the tables were made for these very statements. */
function fitting(run: RunCommand | null): string {
  const { code, lines } = run ?? { code: 1, lines: ['`serve` ended while its statements were checked'] };
  const [first = '', ...others] = lines;
  if (code === 0) return first;
  const sentence = `The database cannot run a statement of this release: ${first}.`;
  throw new SmokeFailure(`${sentence} This is a bug of Kiln: please report it.`, others);
}

// ── Plan verdict ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The verdict on the indexes that the endpoints of a release need.

export async function judgePlans(
  definition: Definition,
  plans: 'guarded' | undefined,
  steps: SmokeSteps,
): Promise<void> {
  const verdict = planVerdict(definition);
  const isRefused = verdict.outcome === 'warned' && plans === 'guarded';
  steps.judge(isRefused ? { ...verdict, outcome: 'failed' } : verdict);
  await steps.run('plans', () => undefined, verdict.says);
  if (isRefused) throw new SmokeFailure(REFUSED, verdict.details);
  steps.note(verdict.details);
}

const REFUSED = 'Endpoints of this release lack an index, and `plans` in `kiln.json` is guarded. Add the indexes.';

function planVerdict(definition: Definition): Verdict {
  const findings = indexFindings(definition);
  const [of, checked] = ['plans', `${plural(definition.endpoints.length, 'endpoint')} checked`];
  if (findings.length === 0) return { of, outcome: 'passed', says: `${checked}, no index is missing`, details: [] };
  const count = new Set(findings.map(({ endpoint }) => endpoint)).size;
  const missing = `${count} ${count === 1 ? 'lacks' : 'lack'} an index`;
  return { of, outcome: 'warned', says: `${checked}, ${missing}`, details: findings.map(findingText) };
}
