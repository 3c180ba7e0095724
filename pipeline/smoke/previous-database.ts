/**
 * A database of the release before, made and filled by that release itself: its layers on the base. So the code of an
 * application runs in containers only, also that of its populators.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Layer } from '../image/layer.ts';
import type { Certificate } from './certificate.ts';
import { mustSucceed, runWhole } from './image-command.ts';
import { certificateIn, refusalIn } from './migrate-events.ts';
import type { ContainerSpec, Room } from './room.ts';
import { lastLines, type RunCommand } from './room-container.ts';
import { SmokeFailure } from './smoke-failure.ts';
import type { DatabaseName, SmokePostgres } from './smoke-postgres.ts';

export interface PreviousRelease {
  /** In the ledger, from 1. */
  readonly position: number;
  readonly revision: string;
  readonly definition: Definition;
  readonly layers: readonly Layer[];
  readonly populator: string | null;
  readonly beside: Beside;
}

/** How the release before is tested beside the new one. */
export type Beside =
  /** Its image is in the engine, and is run. */
  | { readonly kind: 'image'; readonly image: string }
  /** The engine has no such image, so only its statements are tested. */
  | { readonly kind: 'statements'; readonly missing: string }
  | { readonly kind: 'untested'; readonly why: string };

export interface Upgrade {
  readonly image: string;
  readonly base: string;
  readonly previous: PreviousRelease;
  readonly signal: AbortSignal;
}

export interface Upgraded {
  /** How the database was filled before. */
  readonly filled: string;
  readonly certificate: Certificate;
}

export async function upgradeDatabase(room: Room, postgres: SmokePostgres, upgrade: Upgrade): Promise<Upgraded> {
  const { image, previous, signal } = upgrade;
  const filled = await previousDatabase(room, postgres, upgrade, 'previous');
  const what = `\`migrate\` of a database of the release before (${previous.revision.slice(0, 12)}, ${filled})`;
  const environment = { DATABASE_URL: postgres.url('previous') };
  const migrate = (...options: readonly string[]) =>
    runWhole(room, { image, command: ['migrate', '--json', ...options], environment }, what, signal);
  const certified = await migrate('--certify');
  const run = certified.code === UNKNOWN_OPTION ? await migrate() : certified;
  if (run.code !== 0) throw refusedUpgrade(what, run);
  return { filled, certificate: run === certified ? certificateIn(run.lines) : null };
}

/** What `migrate` of an older Kiln ends with: the base need not be as new as the command line. Nothing is done then. */
const UNKNOWN_OPTION = 2;

/** What `migrate` refuses for is told first: it is about the author's change, and the rest is about where it happened. */
function refusedUpgrade(what: string, { code, lines }: RunCommand): SmokeFailure {
  const refusal = refusalIn(lines);
  if (!refusal) return new SmokeFailure(`${what} ended with ${code}.`, lastLines(lines));
  const details = refusal.details.map((detail) => `  ${detail}`);
  if (refusal.reason !== 'failed')
    return new SmokeFailure(`${what} ended with ${code}.`, [refusal.message, ...details]);
  return new SmokeFailure(`${what} is refused: ${refusal.message}`, details);
}

/** As the release before leaves it. Says how it was filled. */
export async function previousDatabase(
  room: Room,
  postgres: SmokePostgres,
  upgrade: Upgrade,
  database: DatabaseName,
): Promise<string> {
  const environment = { DATABASE_URL: postgres.url(database) };
  await postgres.create(database);
  await runBefore(room, upgrade, environment, ['migrate']);
  return populated(room, upgrade, environment);
}

/** A populator that fails is a mistake of the release before, so it does not count against this one. */
async function populated(room: Room, upgrade: Upgrade, environment: Readonly<Record<string, string>>): Promise<string> {
  const { populator } = upgrade.previous;
  if (populator === null) return 'without records, since it has no populator';
  try {
    await runBefore(room, upgrade, environment, ['populate', '--populator', populator]);
    return `filled with ${populator}`;
  } catch (error) {
    if (!(error instanceof SmokeFailure)) throw error;
    return `without records, since its populator ${populator} fails`;
  }
}

function runBefore(
  room: Room,
  upgrade: Upgrade,
  environment: Readonly<Record<string, string>>,
  command: readonly string[],
): Promise<void> {
  const spec = specBefore(upgrade, environment, command);
  return mustSucceed(room, spec, `\`${command[0]}\` of the release before`, upgrade.signal);
}

/** A command of the release before, without its image. */
export function specBefore(
  { base, previous }: Upgrade,
  environment: Readonly<Record<string, string>>,
  command: readonly string[],
): ContainerSpec {
  return { image: base, command, environment, archives: previous.layers.map(({ tar }) => tar) };
}
