/** The accounts of the development database, each of which a click signs in. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSending } from '../state/console-api.ts';
import { signInAs, useAccounts } from '../state/records.ts';
import { FieldError, SearchField } from './controls.tsx';

export function Accounts({ onDone }: { readonly onDone?: () => void }): JSX.Element | null {
  const [search, setSearch] = useState('');
  const found = useAccounts(search);
  const { rejection, send } = useSending();
  if (found === null || (found.accounts.length === 0 && search === '')) return null;
  const signIn = (id: string): Promise<void> => send(() => signInAs(id).then(onDone));
  return (
    <section class="accounts apart" aria-label="Sign in as">
      <h3 class="small-title">Sign in as</h3>
      {(found.hasMore || search !== '') && <SearchField label="Search accounts" value={search} onInput={setSearch} />}
      <ul class="box">
        {found.accounts.map((each) => (
          <li key={each.id}>
            <button type="button" class="item medium" onClick={() => void signIn(each.id)}>
              <span class="ellipsis">{each.role === null ? each.login : `${each.login} · ${each.role}`}</span>
              {each.label !== null && <span class="soft ellipsis">{each.label}</span>}
            </button>
          </li>
        ))}
      </ul>
      {rejection?.message && <FieldError>{rejection.message}</FieldError>}
    </section>
  );
}
