/** Removes rows that are over, now and then. Every server does, at moments of its own. */
import type { Logger } from 'pino';
import { removeExpired } from './query/accounts.ts';
import type { Database, Statement } from './query/database.ts';

interface SweepOptions {
  readonly database: Pick<Database, 'run'>;
  readonly log: Logger;
  /** The statements that remove rows; called each time. */
  readonly statements: () => readonly Statement[];
  /** The average interval, in milliseconds. */
  readonly every: number;
}

/** The pause between two statements where there is more to remove, in milliseconds. */
const SOON = 1000;

export function startSweep({ database, log, statements, every }: SweepOptions) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const next = (pause: number): void => {
    if (!isStopped) timer = setTimeout(() => void sweep(), pause).unref();
  };
  const sweep = async (): Promise<void> => {
    try {
      next((await removeExpired(statements(), database)) ? SOON : withJitter(every));
    } catch (error) {
      log.debug({ err: error }, 'could not remove expired rows');
      next(withJitter(every));
    }
  };
  next(withJitter(every));
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Servers that were started together do not all begin at once. */
function withJitter(every: number): number {
  return every * (0.5 + Math.random());
}
