import type pg from 'pg';
import type { Connection } from './database.ts';

/** A plain client as the rest of the runtime sees a connection: texts in, texts out. */
export function connectionFrom(client: pg.Client): Connection {
  return {
    run: async ({ text }, values) => {
      const types = { getTypeParser: () => String };
      const { rows, rowCount } = await client.query({ text, values: [...values], rowMode: 'array', types });
      return { rows, count: rowCount ?? 0 };
    },
  };
}
