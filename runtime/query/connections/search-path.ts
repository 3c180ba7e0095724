/**
 * Where Postgres looks for the tables of a release: in its compatibility schema first, which is there only after a later
 * release has changed the tables, and then where it would have looked anyway. It is a parameter of each connection from
 * its beginning: a pooler would give what is set later to others too.
 */
import pg from 'pg';

/** That of some other release, where a pooler has left it. */
const COMPATIBILITY_SCHEMA = /^kiln_[0-9a-f]{12},\s*/;

export class SearchPath {
  readonly #config: pg.ClientConfig;
  readonly #schema: string;
  #text: string | null = null;
  #reading: Promise<void> | null = null;

  /** `config` is that of a connection without any search path of its own. */
  constructor(config: pg.ClientConfig, schema: string) {
    this.#config = config;
    this.#schema = schema;
  }

  /** What the first message of a connection says. */
  get parameters(): Readonly<Record<string, string>> {
    return this.#text === null ? {} : { search_path: this.#text };
  }

  /** Asks the database once for the path of its role, of the database or of the address. */
  async read(): Promise<void> {
    if (this.#text !== null) return;
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
      const { rows } = await client.query<{ search_path: string }>('SHOW search_path');
      const path = (rows[0]?.search_path ?? '').replace(COMPATIBILITY_SCHEMA, '');
      this.#text = `${this.#schema}, ${path}`;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** A pooler that knows nothing of the parameter refuses every connection. */
export class SearchPathRefused extends Error {
  override readonly name = 'SearchPathRefused';

  constructor(cause: unknown) {
    super(
      'The pooler in front of Postgres refuses the parameter `search_path`. For pgbouncer, set `track_extra_parameters = search_path`.',
      { cause },
    );
  }
}

export function isSearchPathRefused(error: unknown): boolean {
  return error instanceof Error && /startup parameter.*search_path/i.test(error.message);
}
