/**
 * The values that the server has written into the page: addresses, whatever path a reverse proxy serves it at, and the
 * key.
 */
import { CONSOLE, OPENAPI as DOCUMENT } from '../../compiler/definition/contract/routes.ts';
import type { AskedKey } from '../../runtime/console/api/console-options.ts';

const { root = './', below = './', key, asks, work, mail } = document.documentElement.dataset;

/** The URL of the server, without a slash at its end. */
export const SERVER = new URL(root, document.baseURI).href.replace(/[?#].*$/, '').replace(/\/$/, '');

export const OPENAPI = new URL(`${root}${DOCUMENT}`, document.baseURI).href;
export const MODELS = new URL(`${below}models.json`, document.baseURI).href;
export const CONSOLE_API = `${SERVER}/${CONSOLE}`;

/** The key; undefined if the console has no API of its own, as in production; empty if the user is asked for it. */
export const CONSOLE_KEY: string | undefined = key;

/** The kind of key that the user is asked for; undefined if the page has the key. */
export const ASKED_KEY = asks as AskedKey | undefined;

/** Whether the application has jobs. */
export const HAS_WORK = work !== undefined;

/** Whether the mails that were sent are kept, as in development. */
export const HAS_MAIL = mail !== undefined;

/** Whether this is development: only then the server shows its rules, and lets a developer sign in as anybody. */
export const IS_DEVELOPMENT = key !== undefined && asks !== 'secret';

export const NO_ANSWER = IS_DEVELOPMENT
  ? 'The server does not answer. Start `kiln dev`, then reload.'
  : 'The server does not answer.';

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a file; null if there is none. */
  readonly body?: string | File | null;
  readonly signal?: AbortSignal | null;
}

/** Sends a request. Throws a sentence for readers if the server does not answer, or the `AbortError` of the signal. */
export async function responseOf(url: string, { method = 'GET', headers, body = null, signal = null }: Sent) {
  const typed = typeof body === 'string' ? { ...headers, 'content-type': 'application/json' } : { ...headers };
  return fetch(url, { method, headers: typed, body, signal }).catch((error: Error) => {
    throw error.name === 'AbortError' ? error : new Error(NO_ANSWER);
  });
}

/** Reads JSON. Throws a sentence for readers. */
export async function jsonFrom<T>(url: string): Promise<T> {
  const response = await responseOf(url, { headers: { accept: 'application/json' } });
  if (!response.ok)
    throw new Error(`${new URL(url).pathname} answered ${response.status}. Reload the page to try again.`);
  return (await response.json()) as T;
}
