/**
 * A database of the release before, made and filled by that release itself: its layer on the base. So the code of an
 * application runs in containers only, also that of its populators.
 */
import type { Layer } from '../image/layer.ts';
import { mustSucceed } from './image-command.ts';
import type { Room } from './room.ts';
import { SmokeFailure } from './smoke-failure.ts';
import type { SmokePostgres } from './smoke-postgres.ts';

export interface PreviousRelease {
  readonly revision: string;
  readonly layer: Layer;
  readonly populator: string | null;
}

export interface Upgrade {
  readonly image: string;
  readonly base: string;
  readonly previous: PreviousRelease;
  readonly signal: AbortSignal;
}

/** Says how the database was filled before. */
export async function upgradeDatabase(room: Room, postgres: SmokePostgres, upgrade: Upgrade): Promise<string> {
  const { image, previous, signal } = upgrade;
  const environment = { DATABASE_URL: postgres.url('previous') };
  await postgres.create('previous');
  await runBefore(room, upgrade, environment, ['migrate']);
  const filled = await populated(room, upgrade, environment);
  const what = `\`migrate\` of a database of the release before (${previous.revision.slice(0, 12)}, ${filled})`;
  await mustSucceed(room, { image, command: ['migrate'], environment }, what, signal);
  return filled;
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
  { base, previous, signal }: Upgrade,
  environment: Readonly<Record<string, string>>,
  command: readonly string[],
): Promise<void> {
  const spec = { image: base, command, environment, archive: previous.layer.tar };
  return mustSucceed(room, spec, `\`${command[0]}\` of the release before`, signal);
}
