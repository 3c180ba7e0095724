/**
 * At which release a database is, and whether the image of another one works with it. The server and `migrate` decide by
 * the same rule. Reading it costs as much as asking whether the database is there.
 */
import { compatibilitySchemaIn, UNDO, withdrawnBy } from '../../compiler/definition/migration.ts';
import { SETTINGS_SQL } from './application-schema.ts';
import type { Database, Row, Statement } from './database.ts';
import type { ImageRelease } from './image-release.ts';

/** Which images work beside a release. */
interface Beside {
  /** The fingerprint of the release before, whose images work too until the contraction begins. */
  readonly beside: string | null;
  /** Whether the contraction has begun: what the release before needs may be gone. */
  readonly isContracted: boolean;
}

/** The newest release that is complete, and what has come after it. */
export interface DatabaseRelease extends ImageRelease, Beside {
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

/** In milliseconds: how often a server looks at its database, whatever else it does. */
export const LOOK_EVERY = 10_000;
/** In milliseconds: after so long without a look, it looks before it sends anything else. */
export const LOOK_FIRST = 20_000;
/** In milliseconds: where none of its connections was used for so long, `migrate` takes a server for gone. */
export const PRESUMED_GONE = 30_000;

/** What a server asks of its database with each new connection, and again and again, in one statement. */
export interface DatabaseView {
  /** Null where the database has no ledger of releases, or an empty one. */
  readonly release: DatabaseRelease | null;
  /** Of the connection. */
  readonly searchPath: string;
  /**
   * Whether the compatibility schema of the image belongs to the owner of the tables, and the ledger has the release that
   * it is for. Other roles may be able to create a schema of this name.
   */
  readonly hasOwnSchema: boolean;
  /** The revision that the ledger has for the number of the image's release; null where it has none. */
  readonly recorded: string | null;
  /** Why nothing can be written; null where it can. */
  readonly readOnly: 'standby' | 'setting' | null;
  /** As `SETTINGS_SQL` has them. */
  readonly settings: readonly string[];
}

/** For a server of a release. */
export interface ReleaseDatabase extends Database {
  /** How the database is now. Null where it has no ledger of releases. */
  view(): Promise<DatabaseView | null>;
}

/** `schema` is quoted. Ledgers of before have fewer columns; a row as JSON is read in the same way with or without them. */
export function viewStatement(schema: string): Statement {
  const [releases, progress] = [`${schema}.kiln_releases`, `${schema}.kiln_release_progress`];
  return {
    name: '',
    text: `SELECT (
        SELECT json_agg(json_build_array(position, revision, fingerprint, checksum, release ->> 'beside',
          release ->> 'contracted_at', coalesce(release ->> 'contract_steps', '0'), coalesce(release ->> 'contract_done', '0'),
          (SELECT max(progress.position) FROM ${progress} AS progress WHERE progress.position > run.position),
          (SELECT progress.revision FROM ${progress} AS progress
            WHERE progress.position > run.position AND starts_with(progress.checksum, '${UNDO}') LIMIT 1)) ORDER BY position)
        FROM (SELECT position, revision, fingerprint, checksum, to_jsonb(releases) AS release
          FROM ${releases} AS releases, (SELECT fingerprint AS newest FROM ${releases} ORDER BY position DESC LIMIT 1) AS last
          WHERE position > coalesce((SELECT max(position) FROM ${releases} WHERE fingerprint <> newest), 0)) AS run),
      current_setting('search_path'),
      EXISTS (SELECT FROM pg_namespace JOIN pg_class ON relowner = nspowner
        WHERE nspname = $1 AND pg_class.oid = '${schema.replaceAll("'", "''")}.kiln_releases'::regclass
          AND EXISTS (SELECT FROM ${releases} WHERE fingerprint = $2)),
      (SELECT revision FROM ${releases} WHERE position = $3::integer),
      CASE WHEN pg_is_in_recovery() THEN 'standby' WHEN current_setting('transaction_read_only')::boolean THEN 'setting' END,
      to_json(${SETTINGS_SQL})`,
    isRepeatable: true,
  };
}

/** `schema` is that of the tables. */
export function viewValues({ fingerprint, position }: ImageRelease, schema: string): readonly string[] {
  return [compatibilitySchemaIn(schema, fingerprint), fingerprint, String(position)];
}

export function viewFromRow([run, searchPath, hasOwnSchema, recorded, readOnly, settings]: Row): DatabaseView {
  const rows = JSON.parse(run ?? '[]') as readonly (readonly unknown[])[];
  return {
    release: newestOf(rows.map((row) => releaseFromRow(row.map((value) => (value === null ? null : String(value)))))),
    searchPath: String(searchPath),
    hasOwnSchema: hasOwnSchema === 't',
    recorded: recorded ?? null,
    readOnly: (readOnly ?? null) as DatabaseView['readOnly'],
    settings: JSON.parse(settings ?? '[]'),
  };
}

interface RunRow extends Omit<DatabaseRelease, 'withdrawn'>, RecordedRelease {
  /** The release that gave it up; null where it is complete. */
  readonly withdrawnBy: string | null;
  /** The release after it that is being undone. */
  readonly undone: string | null;
}

/** A withdrawn release has left the tables as they were, so its row is among those of the release before. */
function newestOf(run: readonly RunRow[]): DatabaseRelease | null {
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
  };
}
