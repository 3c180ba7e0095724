/**
 * Errors of hooks that nobody waits for: a rejected promise without an `await`, a throw in a timer. Node would end the
 * process, and with it the requests of everybody.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';

interface RunningHook {
  readonly name: string;
  /** Has no effect on a hook that has ended. */
  readonly fail: (error: unknown) => void;
}

/** Costs nothing until the first hook runs. */
const running = new AsyncLocalStorage<RunningHook>();

/**
 * Runs the code and returns its result. It also fails with stray errors of the code that come before the end of the
 * turn in which it ends.
 */
export function withStrayErrors(name: string, code: () => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const run = async (): Promise<void> => {
      const result = await code();
      await nextTurn();
      resolve(result);
    };
    running.run({ name, fail: reject }, run).catch(reject);
  });
}

/** The handler of an error that was thrown: the state of the rest of the process is unknown then. */
type OnThrow = (error: unknown, isOfHook: boolean) => void;

export function catchStrayErrors(log: Logger, onThrow: OnThrow): void {
  const note = (error: unknown, what: string): boolean => {
    const hook = running.getStore();
    log.error({ err: error, ...(hook && { hook: hook.name }) }, what);
    hook?.fail(error);
    return hook !== undefined;
  };
  process.on('unhandledRejection', (error) => note(error, 'a promise was rejected, and nothing handles it'));
  process.on('uncaughtException', (error) => {
    onThrow(error, note(error, 'an error was thrown, and nothing catches it'));
  });
}
