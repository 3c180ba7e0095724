/**
 * The common part of `kiln dev` and `kiln start`: they bring up the database, listen on a port, and run until they are
 * told to stop.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../runtime/config/config.ts';
import { databaseSentence, type LocalDatabase, withLocalDatabase } from './local-database.ts';
import { EXIT, type ExitCode, print, refuse, stopSignal } from './terminal.ts';

interface Listening {
  readonly folder: string;
  readonly config: Config;
  /** Null where the project's own Postgres is used. */
  readonly databaseUrl: string | null;
}

/** Serves until `stop` fires. */
type Serve = (database: LocalDatabase, stop: AbortSignal) => Promise<ExitCode>;

export async function listening({ folder, config, databaseUrl }: Listening, serve: Serve): Promise<ExitCode> {
  const stop = stopSignal();
  try {
    if (config.workers > 1) print('Note: WORKERS is for images. This command serves from one process.');
    await ensureFreePort(config);
    return await withLocalDatabase(folder, databaseUrl, (database) => serve(database, stop));
  } catch (error) {
    const sentence = databaseSentence(error) ?? listenRefusal(error, config);
    if (sentence === undefined) throw error;
    // Ctrl-C reaches all that this terminal runs: what was just starting Postgres has been stopped as well.
    return stop.aborted ? EXIT.ok : refuse(sentence);
  } finally {
    // Even where code of a hook that nobody waits for any more still waits for something.
    setTimeout(() => process.exit(), EXIT_MS).unref();
  }
}

const EXIT_MS = 1000;

type Address = Pick<Config, 'host' | 'port'>;

/**
 * Throws what listening there would throw. It runs before anything is started or written: a port in use is most often a
 * forgotten server, and nobody expects its database to have changed.
 */
async function ensureFreePort({ host, port }: Address): Promise<void> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  await once(server.close(), 'close');
}

/** The reason why the server cannot listen, in a sentence; undefined where it is another error. */
export function listenRefusal(error: unknown, address: Address): string | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : REASONS[code]?.(address);
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isOfListening = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
  return isOfListening && 'code' in error ? String(error.code) : codeOf(error.cause);
}

const REASONS: Readonly<Record<string, (address: Address) => string>> = {
  EADDRINUSE: ({ port }) => `the port ${port} is in use; choose another one with \`--port\``,
  EACCES: ({ port }) => `the port ${port} needs more rights than you have; choose one above 1023 with \`--port\``,
  EADDRNOTAVAIL: ({ host }) => `\`${host}\` is not an address of this machine`,
  EINVAL: ({ host }) => `\`${host}\` is not an address of this machine`,
  ENOTFOUND: ({ host }) => `there is no host \`${host}\``,
  EAI_AGAIN: ({ host }) => `the host \`${host}\` cannot be looked up`,
};
