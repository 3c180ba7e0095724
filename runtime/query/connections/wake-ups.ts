/**
 * How servers learn at once that there are jobs or changes: a notification after the commit, because one inside of
 * transactions would make them wait for each other. Nothing depends on it, as every server also looks once a second.
 */
import type pg from 'pg';
import type { Connection, Statement } from '../database.ts';
import { type ClientOptions, clientConfigsFrom } from './driver.ts';
import { connectPrimary } from './primary.ts';

type Channel = 'kiln_jobs' | 'kiln_changes';

/** The shortest time between two notifications of a server, in milliseconds. */
const SHORTEST_PAUSE = 50;
/** The time before a lost connection is made again, in milliseconds. */
const CONNECT_AGAIN = 5000;

const NOTIFY: Statement = { name: 'kiln_notify', text: 'SELECT pg_notify($1, $2)', isRepeatable: true };

/** Notifies the other servers, at most every 50 ms. */
export function notifier(connection: Connection, channel: Channel, server: string): () => void {
  let isResting = false;
  let isDue = false;
  const notify = (): void => {
    isResting = true;
    isDue = false;
    connection.run(NOTIFY, [channel, server]).catch(() => undefined);
    setTimeout(() => {
      isResting = false;
      if (isDue) notify();
    }, SHORTEST_PAUSE).unref();
  };
  return () => {
    if (isResting) isDue = true;
    else notify();
  };
}

/** Calls `wake` when another server has notified, over a connection of its own. Gives the function that ends it. */
export function listenTo(
  options: ClientOptions,
  channel: Channel,
  server: string,
  wake: () => void,
): () => Promise<void> {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const end = async () => void (await client?.end().catch(() => undefined));
  const connectLater = (): void => {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(() => void connect(), CONNECT_AGAIN).unref();
  };
  const connect = async (): Promise<void> => {
    try {
      client = await connectPrimary(clientConfigsFrom(options));
      client.on('notification', ({ payload }) => {
        if (payload !== server) wake();
      });
      client.once('end', connectLater);
      if (isStopped) return await end();
      await client.query(`LISTEN ${channel}`);
      wake();
    } catch {
      await end();
      connectLater();
    }
  };
  // A pooler that needs this variable gives connections to others after each transaction.
  if (options.statementTimeout > 0) void connect();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return end();
  };
}
