/** The console's own API, below `/_console/`. It exists in development, and where `CONSOLE=on` asks for it. */
import { CONSOLE_KEY_HEADER } from '../../compiler/definition/contract/routes.ts';
import { keepText, keptText, TAB } from './kept.ts';
import { CONSOLE_API, CONSOLE_KEY, NO_ANSWER } from './page.ts';
import { createStore } from './store.ts';

/** False in production: the views of data and requests do not exist then. */
export const HAS_CONSOLE_API = CONSOLE_KEY !== undefined;

const NAME = 'kiln-console-secret';

/** Empty until the user has entered the secret of the server. In development the page brings the key. */
export const consoleKey = createStore(CONSOLE_KEY || keptText(TAB, NAME) || '');

/** Why the last one was refused; null where none was. */
export const secretProblem = createStore<string | null>(null);

export function keepSecret(secret: string): void {
  secretProblem.set(null);
  keepText(TAB, NAME, secret);
  consoleKey.set(secret);
}

/** Asks for it again. */
function forgetSecret(problem: string): void {
  secretProblem.set(problem);
  keepText(TAB, NAME, null);
  consoleKey.set('');
}

/** What the server says when it refuses, as far as the console shows it. */
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
  const response = await fetch(`${CONSOLE_API}/${path}`, {
    method,
    headers: {
      [CONSOLE_KEY_HEADER]: key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new Error(NO_ANSWER);
  });
  if (response.ok) return response;
  const problem = (await response.json().catch(() => null)) as Problem | null;
  const error = new ConsoleApiError(response.status, problem);
  // The secret was wrong, or the server has been restarted with another one. The user may have entered the next already.
  const isWrong = response.status === 403 && CONSOLE_KEY === '' && key !== '' && key === consoleKey.get();
  if (isWrong) forgetSecret(error.message);
  throw error;
}

async function json<T>(path: string, sent: Sent = {}): Promise<T> {
  const response = await send(path, sent);
  return (response.status === 204 ? null : await response.json()) as T;
}

export const consoleApi = { send, json };
