/** "Sign in as", for development: the accounts of the database, each a click away. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { consoleApi } from '../state/console-api.ts';
import { keepToken } from '../state/session.ts';

interface Account {
  readonly id: string;
  readonly login: string;
  /** What the record is called, where the login does not say it. */
  readonly label: string | null;
}

interface FoundAccounts {
  readonly accounts: readonly Account[];
  readonly hasMore: boolean;
}

export function Accounts({ onDone }: { readonly onDone: () => void }): JSX.Element | null {
  const [search, setSearch] = useState('');
  const [found, setFound] = useState<FoundAccounts | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    const stop = new AbortController();
    const query = search === '' ? '' : `?search=${encodeURIComponent(search)}`;
    // An application without passwords has no accounts to choose from.
    consoleApi.json<FoundAccounts>(`accounts${query}`, { signal: stop.signal }).then(setFound, () => undefined);
    return () => stop.abort();
  }, [search]);
  if (found === null || (found.accounts.length === 0 && search === '')) return null;
  const signIn = async ({ id }: Account): Promise<void> => {
    const { token } = await consoleApi.json<{ readonly token: string }>('sign-in', { method: 'POST', body: { id } });
    keepToken(token);
    onDone();
  };
  return (
    <section class="accounts" aria-label="Sign in as">
      <h3 class="small-title">Sign in as</h3>
      {(found.hasMore || search !== '') && (
        <input
          class="input"
          type="search"
          placeholder="Search accounts"
          aria-label="Search accounts"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ul>
        {found.accounts.map((account) => (
          <li key={account.id}>
            <button
              type="button"
              class="account"
              onClick={() => void signIn(account).catch(({ message }: Error) => setError(message))}
            >
              <span>{account.login}</span>
              {account.label !== null && <span class="quiet">{account.label}</span>}
            </button>
          </li>
        ))}
      </ul>
      {error !== '' && (
        <p class="refusal" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}
