/** The console's own API, below `/_console/`. It exists in development, and with `CONSOLE=on`. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { CONSOLE_KEY_HEADER } from '../../compiler/definition/contract/routes.ts';
import { CONSOLE_API, CONSOLE_KEY, responseOf } from './page.ts';
import { createStore, storedText, TAB } from './store.ts';

/** Whether the console has its own API. It is false in production: the views of data and requests do not exist then. */
export const HAS_CONSOLE_API = CONSOLE_KEY !== undefined;

const storedSecret = storedText(TAB, 'kiln-console-secret');

/** The key; empty until the user has entered the secret of the server. In development the page brings the key. */
export const consoleKey = createStore(CONSOLE_KEY || storedSecret.get() || '');

/** The reason why the last secret was refused; null if none was. */
export const secretProblem = createStore<string | null>(null);

/** Without a secret the user is asked for it, and sees the problem with the last one. */
export function keepSecret(secret: string | null, problem: string | null = null): void {
  secretProblem.set(problem);
  storedSecret.set(secret);
  consoleKey.set(secret ?? '');
}

/** The problem in a response of the server, as far as the console shows it. */
interface Problem {
  readonly title: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export class ConsoleApiError extends Error {
  readonly status: number;
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null) {
    super(problem?.detail ?? problem?.title ?? `The server answered ${status}.`);
    this.status = status;
    this.problem = problem;
  }
}

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** `path` is what follows `/_console/`, encoded already. Throws a `ConsoleApiError` unless the response is a success. */
async function send(path: string, { method = 'GET', body, signal }: Sent = {}): Promise<Response> {
  const key = consoleKey.get();
  // The server would refuse it, and its log would have a line about it.
  if (key === '') throw new ConsoleApiError(403, { title: 'The console has no key yet. Open Data to enter it.' });
  const headers = { [CONSOLE_KEY_HEADER]: key };
  const text = body === undefined ? null : JSON.stringify(body);
  const response = await responseOf(`${CONSOLE_API}/${path}`, { method, headers, body: text, signal: signal ?? null });
  return successOf(response).catch((error: ConsoleApiError) => {
    // The secret was wrong, or the server has been restarted with another one. The user may have entered the next already.
    const isWrong = error.status === 403 && CONSOLE_KEY === '' && key !== '' && key === consoleKey.get();
    if (isWrong) keepSecret(null, error.message);
    throw error;
  });
}

/** Throws a `ConsoleApiError` unless the response is a success. */
export async function successOf(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new ConsoleApiError(response.status, (await response.json().catch(() => null)) as Problem | null);
}

async function json<T>(path: string, sent: Sent = {}): Promise<T> {
  const response = await send(path, sent);
  return (response.status === 204 ? null : await response.json()) as T;
}

export const consoleApi = { send, json };

export interface Loading<T> {
  /** The value that was read last, also while it is read again; null before the first time. */
  readonly value: T | null;
  readonly error: string | null;
  readonly isLoading: boolean;
  reload(): void;
}

/** Reads `path` of the console's API, and again when it changes. */
export function useLoaded<T>(path: string): Loading<T> {
  return useLoading((signal) => consoleApi.json<T>(path, { signal }), [path]);
}

/** Loads a value, and again when one of `parts` changes. An answer that comes too late is dropped. */
export function useLoading<T>(load: (signal: AbortSignal) => Promise<T>, parts: readonly unknown[]): Loading<T> {
  const [state, setState] = useState<Omit<Loading<T>, 'reload'>>({ value: null, error: null, isLoading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const aborting = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(aborting.signal).then(
      (value) => aborting.signal.aborted || setState({ value, error: null, isLoading: false }),
      (error: Error) => {
        if (!aborting.signal.aborted) setState({ value: null, error: error.message, isLoading: false });
      },
    );
    return () => aborting.abort();
  }, [...parts, turn]);
  return { ...state, reload: useCallback(() => setTurn((last) => last + 1), []) };
}

/** The errors of a form after the server has rejected it. */
interface Rejection {
  /** The message; null if every error has a column. */
  readonly message: string | null;
  readonly columns: Readonly<Record<string, string>>;
}

function rejectionFrom(error: unknown): Rejection {
  const errors = error instanceof ConsoleApiError ? (error.problem?.errors ?? []) : [];
  const columns = Object.fromEntries(errors.map(({ path, message }) => [path, message]));
  return { columns, message: errors.length > 0 ? null : (error as Error).message };
}

interface Sending {
  readonly isBusy: boolean;
  readonly rejection: Rejection | null;
  /** Runs `work` unless it runs already. */
  send(work: () => Promise<void>): Promise<void>;
}

export function useSending(): Sending {
  const [isBusy, setIsBusy] = useState(false);
  const [rejection, setRejection] = useState<Rejection | null>(null);
  const send = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    setRejection(null);
    try {
      await work();
    } catch (error) {
      setRejection(rejectionFrom(error));
    }
    setIsBusy(false);
  };
  return { isBusy, rejection, send };
}
