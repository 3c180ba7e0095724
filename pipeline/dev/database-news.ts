/**
 * Word among the processes that work on one development database. `kiln db sync` and `kiln db reset` tell when they have
 * changed it, and `kiln dev`, which may run beside them, hears of it and follows.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';

const CHANNEL = 'kiln_development';

/** A process does not hear what it has said itself. */
const OWN_NAME = randomUUID();

export async function tellOfChange(client: pg.Client): Promise<void> {
  await client.query('SELECT pg_notify($1, $2)', [CHANNEL, OWN_NAME]);
}

const AGAIN_MS = 1000;

/** Calls `onChange` after every change by another process. Gives a function that ends it. */
export function hearOfChanges(url: string, onChange: () => void): () => Promise<void> {
  let isOver = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  const again = (): void => {
    if (!isOver) timer ??= setTimeout(() => void listen(), AGAIN_MS).unref();
  };
  const listen = async (): Promise<void> => {
    timer = undefined;
    const connecting = new pg.Client({ connectionString: url, application_name: 'kiln dev' });
    client = connecting;
    // A connection that breaks is made again; what matters is only that one is there in the end.
    connecting.on('error', () => undefined);
    connecting.on('end', again);
    connecting.on('notification', ({ payload }) => {
      if (payload !== OWN_NAME) onChange();
    });
    await connecting
      .connect()
      .then(() => connecting.query(`LISTEN ${CHANNEL}`))
      .catch(() =>
        connecting
          .end()
          .catch(() => undefined)
          .finally(again),
      );
  };
  void listen();
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined);
  };
}
