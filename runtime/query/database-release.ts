/**
 * At which release a database is, and whether the image of another one works with it. The server and `migrate` decide by
 * the same rule. Reading it costs as much as asking whether the database is there.
 */
import { UNDO, withdrawnBy } from '../../compiler/definition/checksums.ts';
import { APPLICATION_SCHEMA } from './application-schema.ts';
import { type Connection, DatabaseError, type Row, type Statement } from './database.ts';
import type { ImageRelease } from './image-release.ts';

/** Which images work beside a release. */
interface Beside {
  /** The fingerprint of the release before, whose images work too until the contraction begins. */
  readonly beside: string | null;
  /** Whether the contraction has begun: what the release before needs may be gone. */
  readonly isContracted: boolean;
}

/** The newest release that is complete, and what has come after it. */
interface DatabaseRelease extends ImageRelease, Beside {
  /** Of the contraction, how many steps are still to do. */
  readonly pendingSteps: number;
  /** The position of the release that a `migrate` has begun and not completed yet. */
  readonly underWay: number | null;
  /** The releases that were given up in this database since its tables are as they are, and the one that is being undone. */
  readonly withdrawn: readonly WithdrawnRelease[];
}

interface WithdrawnRelease {
  readonly revision: string;
  /** The revision of the release that gave it up; null while it is undone, when nothing says it yet. */
  readonly by: string | null;
}

/** How an image and a database go together. */
export type Standing =
  /** The tables are those of the image. */
  | 'same'
  /** A later release has changed the tables, and its views show them as this image knows them. */
  | 'beside'
  /** As `beside`, but what this image needs was removed. */
  | 'contracted'
  /** The database is several releases ahead. */
  | 'ahead'
  /** The release of the image was given up in this database. */
  | 'withdrawn'
  /** The image has a release that the database does not have yet. */
  | 'behind'
  /** Both have a release of this number, but not the same one. */
  | 'diverged';

export function standingOf(image: ImageRelease, database: DatabaseRelease): Standing {
  if (image.fingerprint === database.fingerprint) return 'same';
  if (withdrawalOf(image, database) !== undefined) return 'withdrawn';
  if (image.position > database.position) return 'behind';
  if (image.position === database.position) return 'diverged';
  if (image.fingerprint !== database.beside) return 'ahead';
  return database.isContracted || database.underWay !== null ? 'contracted' : 'beside';
}

export function withdrawalOf({ revision }: ImageRelease, { withdrawn }: DatabaseRelease): WithdrawnRelease | undefined {
  return withdrawn.find((each) => each.revision === revision);
}

interface RecordedRelease extends Beside {
  readonly fingerprint: string;
  readonly contractSteps: number;
}

/**
 * What counts for the newest of these releases, which are in their order. A release that leaves the tables as they are
 * leaves the images alone that worked before it, so the one that has made the tables decides.
 */
export function besideNewest<R extends RecordedRelease>(releases: readonly R[]): R | undefined {
  const newest = releases.at(-1);
  const others = releases.findLastIndex(({ fingerprint }) => fingerprint !== newest?.fingerprint);
  const run = releases.slice(others + 1);
  return run.findLast(({ contractSteps }) => contractSteps > 0) ?? run[0];
}

/** Ledgers of before have fewer columns; a row as JSON is read in the same way with or without them. */
const NEWEST: Statement = {
  name: 'kiln_newest_release',
  text: `SELECT position, revision, fingerprint, checksum, release ->> 'beside', release ->> 'contracted_at',
      coalesce(release ->> 'contract_steps', '0'), coalesce(release ->> 'contract_done', '0'),
      (SELECT max(progress.position) FROM kiln_release_progress AS progress WHERE progress.position > run.position),
      (SELECT progress.revision FROM kiln_release_progress AS progress
        WHERE progress.position > run.position AND starts_with(progress.checksum, '${UNDO}') LIMIT 1),
      current_setting('search_path'), ${APPLICATION_SCHEMA}
    FROM (SELECT position, revision, fingerprint, checksum, to_jsonb(kiln_releases) AS release
      FROM kiln_releases, (SELECT fingerprint AS newest FROM kiln_releases ORDER BY position DESC LIMIT 1) AS last
      WHERE position > coalesce((SELECT max(position) FROM kiln_releases WHERE fingerprint <> newest), 0)) AS run
    ORDER BY position`,
  isRepeatable: true,
};

export interface NewestRelease extends DatabaseRelease {
  /** Of the connection that has read it. */
  readonly searchPath: string;
  /** That the tables of the application are in. */
  readonly schema: string;
}

/** Null where the database has no ledger of releases, or an empty one. */
export async function newestRelease(connection: Connection): Promise<NewestRelease | null> {
  try {
    return newestOf((await connection.run(NEWEST, [])).rows.map(releaseFromRow));
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'other-schema') return null;
    throw error;
  }
}

interface RunRow extends Omit<NewestRelease, 'withdrawn'>, RecordedRelease {
  /** The release that gave it up; null where it is complete. */
  readonly withdrawnBy: string | null;
  /** The release after it that is being undone. */
  readonly undone: string | null;
}

/** A withdrawn release has left the tables as they were, so its row is among those of the release before. */
function newestOf(run: readonly RunRow[]): NewestRelease | null {
  const complete = run.filter((row) => row.withdrawnBy === null);
  const [newest, deciding] = [complete.at(-1), besideNewest(complete)];
  if (!newest || !deciding) return null;
  const given = run.flatMap(({ revision, withdrawnBy: by }) => (by === null ? [] : [{ revision, by }]));
  const undone = newest.undone === null ? [] : [{ revision: newest.undone, by: null }];
  const { beside, isContracted, pendingSteps } = deciding;
  return { ...newest, beside, isContracted, pendingSteps, withdrawn: [...given, ...undone] };
}

function releaseFromRow(row: Row): RunRow {
  const [position, revision, fingerprint, checksum, ...others] = row;
  const [beside = null, contractedAt = null, steps, done, underWay = null, undone = null] = others;
  const [path, schema] = row.slice(-2);
  return {
    position: Number(position),
    revision: String(revision),
    fingerprint: String(fingerprint),
    withdrawnBy: withdrawnBy({ checksum: String(checksum) }) ?? null,
    undone,
    beside,
    isContracted: contractedAt !== null,
    contractSteps: Number(steps),
    pendingSteps: Number(steps) - Number(done),
    underWay: underWay === null ? null : Number(underWay),
    searchPath: String(path),
    schema: String(schema),
  };
}
