/** Databases of releases that are recorded as live, other than the one that all of the test starts from: they are upgraded too. */
import { statementsAlone } from './beside.ts';
import type { RunImageCommand } from './image-command.ts';
import {
  type EarlierRelease,
  layersOnBase,
  previousDatabase,
  refusedUpgrade,
  type Started,
} from './previous-database.ts';
import type { ServedImage } from './serve-image.ts';
import type { DatabaseName, SmokePostgres } from './smoke-postgres.ts';
import type { Verdict } from './verdict.ts';
import type { Untested } from './withdrawal.ts';

export interface LiveUpgrade {
  /** `release 3 (86ad6bd1da51), live in production` */
  readonly says: string;
  /** Why its images do not work beside the tested one; null where they do. */
  readonly unsafe: string | null;
  readonly release: EarlierRelease | Untested;
}

/** What needs the live release alone. */
export interface StartedUpgrade {
  readonly live: LiveUpgrade;
  readonly database: DatabaseName;
  readonly run: RunImageCommand | null;
  /** How its database was filled, when it is there. */
  readonly filled: Promise<string> | null;
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
    const run = layersOnBase(input.room, input, release);
    const filled = input.postgres.then(async (postgres) => {
      await postgres.create(database);
      return previousDatabase({ previous: release, run }, postgres.url(database));
    });
    // Whoever waits for it hears of it.
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
  if (run === null || 'untested' in release) {
    const { untested, details } = release as Untested;
    return { of, outcome: 'skipped', says: `${says}: not tested, because ${untested}`, details };
  }
  const how = await filled;
  const databaseUrl = postgres.url(database);
  const what = `\`migrate\` of a database of ${says} (${how})`;
  const migrated = await tested.run({ words: ['migrate', '--json'], databaseUrl, what });
  if (migrated.code !== 0) throw refusedUpgrade(what, migrated);
  const beside = unsafe ?? (await statementsAlone(databaseUrl, { previous: release, run }));
  return {
    of,
    outcome: unsafe === null ? 'passed' : 'warned',
    says: `a database of ${says}, ${how}`,
    details: [beside],
  };
}
