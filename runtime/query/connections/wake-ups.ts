/**
 * How servers learn at once that there are jobs or changes: a notification after the commit, because one inside of
 * transactions would make them wait for each other. Nothing depends on it, as every server also looks once a second.
 */
import pg from 'pg';
import type { Connection, Statement } from '../database.ts';
import { type ClientOptions, clientConfigFrom } from './driver.ts';

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

/** Calls `wake` when another server has notified, over a connection of its own. */
export class Listener {
  readonly #options: ClientOptions;
  readonly #channel: Channel;
  readonly #server: string;
  readonly #wake: () => void;
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: ClientOptions, channel: Channel, server: string, wake: () => void) {
    this.#options = options;
    this.#channel = channel;
    this.#server = server;
    this.#wake = wake;
    // A pooler that needs this variable gives connections to others after each transaction.
    if (options.statementTimeout > 0) this.#connect();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }

  #connect(): void {
    const client = new pg.Client(clientConfigFrom(this.#options));
    this.#client = client;
    client.on('notification', ({ payload }) => {
      if (payload !== this.#server) this.#wake();
    });
    client.on('error', () => undefined);
    client.once('end', () => this.#connectLater());
    client
      .connect()
      .then(() => client.query(`LISTEN ${this.#channel}`))
      .then(this.#wake)
      .catch(() => client.end().catch(() => this.#connectLater()));
  }

  #connectLater(): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.#connect(), CONNECT_AGAIN).unref();
  }
}
