/** Signing in: with a login of the application, or with a token that came from elsewhere. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DataAccounts, SignedIn } from '../../runtime/console/data/data-forms.ts';
import { apiDocument } from '../state/api-document.ts';
import { consoleApi, useSending } from '../state/console-api.ts';
import { IS_DEVELOPMENT, SERVER } from '../state/page.ts';
import { type Login, logIn, loginIn, signInWanted, token, tokenHintIn } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, FieldError, SearchField } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { withCode } from '../ui/text.tsx';

export function SignIn(): JSX.Element | null {
  const { value: document } = useStore(apiDocument);
  const current = useStore(token);
  const isOpen = useStore(signInWanted);
  const setIsOpen = signInWanted.set;
  const hint = document && tokenHintIn(document);
  if (document === null || hint === null) return null;
  const close = (): void => setIsOpen(false);
  const login = loginIn(document);
  return (
    <>
      <button
        type="button"
        class={`button authorise ${current === null ? '' : 'is-on'}`}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        <Icon name={current === null ? 'lock' : 'unlock'} />
        <span class="label">{current === null ? 'Sign in' : 'Signed in'}</span>
      </button>
      <Dialog title="Sign in" isOpen={isOpen} onClose={close}>
        <p class="soft small">
          Requests from this page carry the token until this tab is closed. It is sent only to this server.
        </p>
        {IS_DEVELOPMENT && <Accounts onDone={close} />}
        {login && <LoginForm login={login} onDone={close} />}
        <TokenForm hint={hint} look={login ? 'quiet' : 'primary'} onDone={close} />
        {current !== null && (
          <Button
            class="sign-out"
            onClick={() => {
              token.set(null);
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
    token.set(text.trim().replace(/^bearer\s+/i, ''));
    onDone();
  };
  return (
    <Form action="Use token" look={look} submit={submit}>
      {hint !== '' && <p class="soft small">{withCode(hint)}</p>}
      <TextField name="token" autocomplete="off" />
    </Form>
  );
}

interface TextFieldProps {
  readonly name: string;
  readonly type?: 'password';
  readonly autocomplete: 'username' | 'current-password' | 'off';
}

function TextField({ name, ...own }: TextFieldProps): JSX.Element {
  return (
    <Field label={name}>
      {(attributes) => <input {...attributes} {...own} name={name} autocapitalize="none" spellcheck={false} required />}
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
export function Form({ action, look, submit, children }: FormProps): JSX.Element {
  const { isBusy, rejection, send } = useSending();
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Values;
    void send(() => submit(values));
  };
  return (
    <form class="form vertical" onSubmit={onSubmit}>
      {children}
      {rejection?.message && <FieldError>{rejection.message}</FieldError>}
      <Button type="submit" look={look} isBusy={isBusy}>
        {action}
      </Button>
    </form>
  );
}

// ── Accounts ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// "Sign in as", for development: the accounts of the database, each a click away.

function Accounts({ onDone }: { readonly onDone: () => void }): JSX.Element | null {
  const [search, setSearch] = useState('');
  const [found, setFound] = useState<DataAccounts | null>(null);
  const { rejection, send } = useSending();
  useEffect(() => {
    const stop = new AbortController();
    const query = search === '' ? '' : `?search=${encodeURIComponent(search)}`;
    // An application without passwords has no accounts to choose from.
    consoleApi.json<DataAccounts>(`accounts${query}`, { signal: stop.signal }).then(setFound, () => undefined);
    return () => stop.abort();
  }, [search]);
  if (found === null || (found.accounts.length === 0 && search === '')) return null;
  const signIn = async (id: string): Promise<void> => {
    const signedIn = await consoleApi.json<SignedIn>('sign-in', { method: 'POST', body: { id } });
    token.set(signedIn.token);
    onDone();
  };
  return (
    <section class="accounts apart" aria-label="Sign in as">
      <h3 class="small-title">Sign in as</h3>
      {(found.hasMore || search !== '') && <SearchField label="Search accounts" value={search} onInput={setSearch} />}
      <ul class="box">
        {found.accounts.map((account) => (
          <li key={account.id}>
            <button type="button" class="item medium" onClick={() => void send(() => signIn(account.id))}>
              <span class="ellipsis">{account.login}</span>
              {account.label !== null && <span class="soft ellipsis">{account.label}</span>}
            </button>
          </li>
        ))}
      </ul>
      {rejection?.message && <FieldError>{rejection.message}</FieldError>}
    </section>
  );
}
