/**
 * Where Postgres looks for the tables of a release: in its compatibility schema first, which is there only after a later
 * release has changed the tables, and then where it would have looked anyway. It is a parameter of each connection from
 * its beginning: a pooler would give what is set later to others too.
 */
import pg from 'pg';
import { APPLICATION_SCHEMA, searchPathOf, withoutCompatibility } from '../application-schema.ts';
import { connectionName, type ImageRelease } from '../image-release.ts';

const READ = `SELECT current_setting('search_path') AS path, ${APPLICATION_SCHEMA} AS schema`;

interface PathRow {
  readonly path: string;
  readonly schema: string | null;
}

export class SearchPath {
  readonly #config: pg.ClientConfig;
  readonly #release: ImageRelease;
  #parameters: Readonly<Record<string, string>> | null = null;
  #reading: Promise<void> | null = null;

  /** `config` is that of a connection without any search path of its own. */
  constructor(config: pg.ClientConfig, release: ImageRelease) {
    this.#config = config;
    this.#release = release;
  }

  /** What the first message of a connection says. */
  get parameters(): Readonly<Record<string, string>> {
    return this.#parameters ?? {};
  }

  /** Asks the database once for the path of its role, of the database or of the address. */
  async read(): Promise<void> {
    if (this.#parameters !== null) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #read(): Promise<void> {
    const client = new pg.Client(this.#config);
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<PathRow>(READ);
      const [{ path, schema }] = rows as [PathRow];
      if (schema === null) throw new SchemaMissing(path);
      this.#parameters = {
        search_path: searchPathOf(this.#release, schema, path),
        application_name: connectionName(this.#release, schema),
      };
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** There is nothing to connect for yet, and which schemas to look into is known only when it is there. */
export class SchemaMissing extends Error {
  override readonly name = 'SchemaMissing';

  constructor(path: string) {
    super(
      `No schema of the search path (${withoutCompatibility(path)}) exists, or the role may use none of them. Create the schema, grant USAGE on it, and run \`migrate\`.`,
    );
  }
}
