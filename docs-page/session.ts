/** The token that requests are sent with. It lives as long as the tab, so that a reload does not ask for it again. */
const KEY = 'kiln-docs-token';
let token = read();

export function currentToken(): string | null {
  return token;
}

export function keepToken(next: string | null): void {
  token = next;
  try {
    if (next === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next);
  } catch {
    // It still holds until the page is left.
  }
  document.dispatchEvent(new CustomEvent('kiln-token'));
}

function read(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

interface LoginAnswer {
  readonly token?: string;
  readonly detail?: string;
}

/** Throws what the server says where it refuses. */
export async function logIn(url: string, credentials: Readonly<Record<string, string>>): Promise<void> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  };
  const response = await fetch(url, request).catch(() => null);
  if (response === null) throw new Error('The server cannot be reached.');
  const answer = (await response.json().catch(() => ({}))) as LoginAnswer;
  if (answer.token === undefined) throw new Error(answer.detail ?? `The server answered ${response.status}.`);
  keepToken(answer.token);
}
