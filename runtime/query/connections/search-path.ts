/**
 * The parameters in the first message of each connection: where Postgres looks for the tables of a release, and the
 * settings that results depend on. They are set from the beginning of a connection: a pooler would give later settings
 * to others too.
 *
 * A release uses its compatibility schema first. `migrate` has made it, empty, so that nobody else can, and a later
 * release puts views into it. A schema that does not belong to the owner of the tables is left out.
 */
import type pg from 'pg';
import { type Connection, connectionFrom, DatabaseError, type Row, type Statement } from '../database.ts';
import {
  applicationSchemas,
  connectionName,
  type DatabaseView,
  type ImageRelease,
  LOOK_FIRST,
  searchPathOf,
  settingsToCorrect,
  viewFromRow,
  viewStatement,
  viewValues,
} from '../database-release.ts';
import { databaseErrorFrom, sqlStateOf } from './database-error-from.ts';
import type { ClientConfigs } from './driver.ts';
import { connectPrimary, end } from './primary.ts';

interface ViewQuery {
  readonly statement: Statement;
  readonly values: readonly string[];
}

/** The facts that were read from a database. */
interface Place {
  readonly parameters: Readonly<Record<string, string>>;
  /** The query for the view of the database, with its values, for a release. */
  readonly view: ViewQuery | null;
  readonly hasOwnSchema: boolean;
  /** The server that takes writes, where there are several. */
  readonly host: string;
  readonly port: number;
}

const MOST_MISFITS = 5;

export class SearchPath {
  readonly #configs: readonly pg.ClientConfig[];
  readonly #release: ImageRelease | undefined;
  readonly #moved: () => void;
  #place: Place | null = null;
  /** False after a loss: another server may be the primary by now. */
  #isCurrent = false;
  #server: string | null = null;
  #reading: Promise<Place> | null = null;
  /** The number of consecutive misfits. */
  #misfits = 0;

  /**
   * `configs` are those of connections without any search path of their own. Without a release, it stays the one of the
   * role. `moved` is called when another server is the primary.
   */
  constructor(configs: ClientConfigs, release: ImageRelease | undefined, moved: () => void) {
    this.#configs = configs.map((config) => ({ ...config, query_timeout: config.connectionTimeoutMillis }));
    this.#release = release;
    this.#moved = moved;
  }

  /** Whether connections must be to a server that takes writes. */
  get needsPrimary(): boolean {
    return this.#configs.length > 1;
  }

  get parameters(): Readonly<Record<string, string>> {
    return this.#place?.parameters ?? {};
  }

  /** Asks the database once for the path and the settings of its role, of the database or of the address. */
  async read(): Promise<Place> {
    if (this.#place !== null && this.#isCurrent) return this.#place;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** The primary is looked for again, if there are several servers. */
  lookAgain(): void {
    if (this.needsPrimary) this.#isCurrent = false;
  }

  /** Whether the parameters of connections are those that the database needs by now. If not, the next ones have them. */
  isFitting({ hasOwnSchema, settings }: DatabaseView): boolean {
    const wrong = Object.keys(settingsToCorrect(settings));
    if (wrong.length === 0 && hasOwnSchema === this.#place?.hasOwnSchema) {
      this.#misfits = 0;
      return true;
    }
    const isDropped = wrong.some((name) => name in this.parameters);
    this.#place = null;
    if (isDropped) throw new SettingsDropped(wrong);
    if (++this.#misfits > MOST_MISFITS) throw new Error('settings or schemas of the database keep changing');
    return false;
  }

  async #read(): Promise<Place> {
    const client = await connectPrimary(this.#configs);
    const server = `${client.host}:${client.port}`;
    try {
      this.#place = await this.#placeIn(client);
    } finally {
      end(client);
    }
    this.#isCurrent = true;
    if (this.#server !== null && this.#server !== server) this.#moved();
    this.#server = server;
    return this.#place;
  }

  async #placeIn(client: pg.Client): Promise<Place> {
    const { schema, quoted, path, given, settings } = await applicationSchemas(client);
    const { host, port } = client;
    const release = this.#release;
    if (release === undefined) return { parameters: settings, view: null, hasOwnSchema: false, host, port };
    if (schema === null) throw new SchemaMissing(given);
    const view = { statement: viewStatement(quoted), values: viewValues(release, schema) };
    const { hasOwnSchema = false } = (await viewOn(connectionFrom(client), view)) ?? {};
    const search_path = hasOwnSchema ? searchPathOf(release, schema, path) : path;
    const parameters = { ...settings, search_path, application_name: connectionName(release, schema) };
    return { parameters, view, hasOwnSchema, host, port };
  }
}

/** Reads the view; null where there is no ledger of releases. */
async function viewOn(connection: Connection, { statement, values }: ViewQuery): Promise<DatabaseView | null> {
  try {
    const { rows } = await connection.run(statement, values);
    return viewFromRow(rows[0] as Row);
  } catch (error) {
    if (databaseErrorFrom(error).kind === 'other-schema') return null;
    throw error;
  }
}

/** A pooler has not passed them on. */
export class SettingsDropped extends Error {
  override readonly name = 'SettingsDropped';

  constructor(names: readonly string[]) {
    const remedy = names.map((name) => `\`ALTER ROLE … RESET ${name}\``).join(', ');
    super(
      `The role of the server sets ${names.join(', ')}, which values depend on, and a pooler drops what the server sets. Run ${remedy}.`,
    );
  }
}

/**
 * The error for a missing schema. There is nothing to connect for yet, and the schemas to search are known only when it
 * exists.
 */
export class SchemaMissing extends Error {
  override readonly name = 'SchemaMissing';

  constructor(path: string) {
    super(
      `No schema of the search path (${path}) exists, or the role may use none of them. Create the schema, grant USAGE on it, and run \`migrate\`.`,
    );
  }
}

/** Poolers refuse connections that begin with a parameter which they do not know. */
export class ParameterRefused extends Error {
  override readonly name = 'ParameterRefused';

  constructor(parameter: string, variable: string, cause: unknown) {
    const remedy = REMEDIES[parameter] ?? `Remove it from ${variable}, or let the pooler accept it.`;
    super(`The pooler in front of Postgres refuses the parameter \`${parameter}\`. ${remedy}`, { cause });
  }
}

const WITHOUT_TIMEOUT =
  "Set `DATABASE_STATEMENT_TIMEOUT=0`, and give the role a limit: `ALTER ROLE … SET statement_timeout = '30s'`.";

const REMEDIES: Readonly<Record<string, string>> = {
  search_path: 'For pgbouncer, set `track_extra_parameters = search_path`.',
  // Both are sent where there is a timeout.
  statement_timeout: WITHOUT_TIMEOUT,
  lock_timeout: WITHOUT_TIMEOUT,
};

/** The refusal of a parameter, or else the error itself. */
export function parameterRefusedOr(error: unknown, variable: string): unknown {
  const [, parameter] = (error instanceof Error && REFUSAL.exec(error.message)) || [];
  return parameter === undefined ? error : new ParameterRefused(parameter, variable, error);
}

/** The words of pgbouncer: `unsupported startup parameter: lock_timeout`, or `… in options: lock_timeout`. */
const REFUSAL = /startup parameter(?: in options)?: "?(\w+)/i;

// ── Fence ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// Keeps a server from a database that has gone past what it can serve, or is not there yet: no statement is sent until it
// fits again. It is looked at with each new connection, after errors that tables of another release cause, and regularly.
// A server that was stopped for a while looks first: `migrate` no longer counts it.

/** Why a server must not use the database as it is; null where it may. */
export type Judge = (view: DatabaseView) => string | null;

export class Fence {
  readonly #searchPath: SearchPath;
  readonly #judge: Judge;
  #reason: string | null = null;
  #looked = performance.now();

  constructor(searchPath: SearchPath, judge: Judge) {
    this.#searchPath = searchPath;
    this.#judge = judge;
  }

  /** The error to throw instead of sending anything; null where all may be sent. */
  get refusal(): DatabaseError | null {
    const reason = this.#reason;
    return reason === null ? null : new DatabaseError('unavailable', { reason }, new Error(reason));
  }

  get isStale(): boolean {
    return performance.now() - this.#looked >= LOOK_FIRST;
  }

  /** Looks at the database; null where there is no ledger of releases. */
  async look(connection: Connection): Promise<DatabaseView | null> {
    this.#looked = performance.now();
    const { view: asked } = await this.#searchPath.read();
    const view = asked && (await viewOn(connection, asked));
    this.#reason = view && this.#judge(view);
    return view;
  }
}

/** Names, types and values that are not as this release knows them. */
export function isOfOtherShape(error: unknown): boolean {
  const state = sqlStateOf(error instanceof DatabaseError ? error.cause : error) ?? '';
  return (state.startsWith('42') && state !== '42501') || OTHERS.has(state);
}

const OTHERS: ReadonlySet<string> = new Set(['22P02', '23502', '3F000']);
