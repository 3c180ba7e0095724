/** Signing in: with a login of the application, or with a token that came from elsewhere. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DataAccounts, SignedIn } from '../../runtime/console/data/data-forms.ts';
import { apiDocument } from '../state/api-document.ts';
import { consoleApi, useSending } from '../state/console-api.ts';
import { IS_DEVELOPMENT, SERVER } from '../state/page.ts';
import { overview } from '../state/records.ts';
import { account, type Login, logIn, loginIn, signInWanted, token, tokenHintIn } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, FieldError, SearchField, Select } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { withCode } from '../ui/text.tsx';

export function SignIn(): JSX.Element | null {
  const { value: document } = useStore(apiDocument);
  const current = useStore(token);
  const who = useStore(account);
  const accounts = useAccounts('');
  const isOpen = useStore(signInWanted);
  const setIsOpen = signInWanted.set;
  const hint = document && tokenHintIn(document);
  if (document === null || hint === null) return null;
  const close = (): void => setIsOpen(false);
  const login = loginIn(document);
  const label = current === null ? 'Sign in' : (who ?? 'Signed in');
  const look = `authorise ${current === null ? '' : 'is-on'}`;
  const others: Readonly<Record<string, () => void>> = {
    'Another way …': () => setIsOpen(true),
    ...(current !== null && { 'Sign out': () => token.set(null) }),
  };
  return (
    <>
      {accounts && accounts.accounts.length > 0 ? (
        <Select
          key={label}
          class={`input ${look}`}
          aria-label="Signed in as"
          value=""
          options={[
            ['', label],
            ...accounts.accounts.map((each) => [each.id, nameOf(each)] as const),
            ...Object.keys(others),
          ]}
          onChange={(choice) => (others[choice] ?? (() => void signInAs(choice).catch(() => setIsOpen(true))))()}
        />
      ) : (
        <button type="button" class={`button ${look}`} aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
          <Icon name={current === null ? 'lock' : 'unlock'} />
          <span class="label ellipsis">{label}</span>
        </button>
      )}
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

/** The accounts whose login contains the text; null as long as they are not known. */
function useAccounts(search: string): DataAccounts | null {
  const [found, setFound] = useState<DataAccounts | null>(null);
  // Populating makes accounts, and so does a new source.
  const counts = useStore(overview);
  const document = useStore(apiDocument);
  useEffect(() => {
    // An application without passwords has no accounts to choose from.
    if (!IS_DEVELOPMENT || !document.value || !loginIn(document.value)) return;
    const stop = new AbortController();
    const query = search === '' ? '' : `?search=${encodeURIComponent(search)}`;
    consoleApi.json<DataAccounts>(`accounts${query}`, { signal: stop.signal }).then(setFound, () => undefined);
    return () => stop.abort();
  }, [search, counts, document]);
  return found;
}

type Account = DataAccounts['accounts'][number];

function nameOf({ login, role }: Account): string {
  return role === null ? login : `${login} · ${role}`;
}

async function signInAs(id: string): Promise<void> {
  const signedIn = await consoleApi.json<SignedIn>('sign-in', { method: 'POST', body: { id } });
  token.set(signedIn.token);
}

function Accounts({ onDone }: { readonly onDone: () => void }): JSX.Element | null {
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
              <span class="ellipsis">{nameOf(each)}</span>
              {each.label !== null && <span class="soft ellipsis">{each.label}</span>}
            </button>
          </li>
        ))}
      </ul>
      {rejection?.message && <FieldError>{rejection.message}</FieldError>}
    </section>
  );
}
