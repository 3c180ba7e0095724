/** Signing in: with a login of the application, or with a token that came from elsewhere. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { apiDocument } from '../state/api-document.ts';
import { consoleApi } from '../state/console-api.ts';
import { type Login, loginIn, tokenHintIn } from '../state/login.ts';
import { IS_DEVELOPMENT, SERVER } from '../state/page.ts';
import { keepToken, logIn, signInWanted, token } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { withCode } from '../ui/text.tsx';

export function SignIn(): JSX.Element | null {
  const loaded = useStore(apiDocument);
  const current = useStore(token);
  const isOpen = useStore(signInWanted);
  const setIsOpen = signInWanted.set;
  const hint = loaded.kind === 'loaded' ? tokenHintIn(loaded.value) : null;
  if (loaded.kind !== 'loaded' || hint === null) return null;
  const close = (): void => setIsOpen(false);
  const login = loginIn(loaded.value);
  return (
    <>
      <button
        type="button"
        class={`tool authorise ${current === null ? '' : 'is-on'}`}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        <Icon name={current === null ? 'lock' : 'unlock'} />
        <span class="label">{current === null ? 'Sign in' : 'Signed in'}</span>
      </button>
      <Dialog title="Sign in" isOpen={isOpen} onClose={close}>
        <p class="dialog-hint">
          Requests from this page carry the token until this tab is closed. It is sent only to this server.
        </p>
        {IS_DEVELOPMENT && <Accounts onDone={close} />}
        {login && <LoginForm login={login} onDone={close} />}
        <TokenForm hint={hint} look={login ? 'quiet' : 'primary'} onDone={close} />
        {current !== null && (
          <Button
            class="sign-out"
            onClick={() => {
              keepToken(null);
              close();
            }}
          >
            Sign out
          </Button>
        )}
      </Dialog>
    </>
  );
}

interface PartProps {
  readonly onDone: () => void;
}

function LoginForm({ login: { path, name }, onDone }: PartProps & { readonly login: Login }): JSX.Element {
  const submit = async (values: Values): Promise<void> => {
    await logIn(`${SERVER}${path}`, { [name]: values[name] ?? '', password: values.password ?? '' });
    onDone();
  };
  return (
    <Form action="Sign in" look="primary" submit={submit}>
      <TextField name={name} autocomplete="username" />
      <TextField name="password" type="password" autocomplete="current-password" />
    </Form>
  );
}

function TokenForm({ hint, look, onDone }: PartProps & { readonly hint: string; readonly look: Look }): JSX.Element {
  const submit = async ({ token: text = '' }: Values): Promise<void> => {
    keepToken(text.trim().replace(/^bearer\s+/i, ''));
    onDone();
  };
  return (
    <Form action="Use token" look={look} submit={submit}>
      {hint !== '' && <p class="dialog-note">{withCode(hint)}</p>}
      <TextField name="token" autocomplete="off" />
    </Form>
  );
}

interface TextFieldProps {
  readonly name: string;
  readonly type?: 'text' | 'password';
  readonly autocomplete: 'username' | 'current-password' | 'off';
}

function TextField({ name, type = 'text', autocomplete }: TextFieldProps): JSX.Element {
  const shared = {
    class: 'input',
    name,
    autocomplete,
    autocapitalize: 'none',
    spellcheck: false,
    required: true,
  } as const;
  return (
    <Field label={name}>
      {(attributes) =>
        type === 'password' ? (
          <input {...attributes} {...shared} type="password" />
        ) : (
          <input {...attributes} {...shared} type="text" />
        )
      }
    </Field>
  );
}

type Look = 'primary' | 'quiet';
type Values = Readonly<Record<string, string>>;

interface FormProps {
  readonly action: string;
  readonly look: Look;
  readonly submit: (values: Values) => Promise<void>;
  readonly children: ComponentChildren;
}

/** Shows what `submit` throws. */
function Form({ action, look, submit, children }: FormProps): JSX.Element {
  const [error, setError] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Values;
    setError('');
    setIsBusy(true);
    await submit(values).catch(({ message }: Error) => setError(message));
    setIsBusy(false);
  };
  return (
    <form class="form" onSubmit={(event) => void onSubmit(event)}>
      {children}
      {error !== '' && (
        <p class="refusal" role="alert">
          {error}
        </p>
      )}
      <Button type="submit" look={look} isBusy={isBusy}>
        {action}
      </Button>
    </form>
  );
}

// ── Accounts ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// "Sign in as", for development: the accounts of the database, each a click away.

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

function Accounts({ onDone }: { readonly onDone: () => void }): JSX.Element | null {
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
