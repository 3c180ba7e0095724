/** The token that requests are sent with. It is kept as long as the tab is open, so a reload does not ask for it again. */
import { keepText, keptText, TAB } from './kept.ts';
import { createStore } from './store.ts';

const NAME = 'kiln-docs-token';

export const token = createStore(keptText(TAB, NAME));

/** Whether the dialog is open. Whoever needs a token may open it. */
export const signInWanted = createStore(false);

export function keepToken(next: string | null): void {
  keepText(TAB, NAME, next);
  token.set(next);
}

interface LoginResponse {
  readonly token?: string;
  readonly detail?: string;
}

/** Throws the server's own sentence when the login fails. */
export async function logIn(url: string, credentials: Readonly<Record<string, string>>): Promise<void> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  };
  const response = await fetch(url, request).catch(() => null);
  if (response === null) throw new Error('The server cannot be reached.');
  const body = (await response.json().catch(() => ({}))) as LoginResponse;
  if (body.token === undefined) throw new Error(body.detail ?? `The server answered ${response.status}.`);
  keepToken(body.token);
}
