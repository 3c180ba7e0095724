/** Signing in: with a login of the application, or with a token that came from elsewhere. */
import type { ComponentChildren, JSX } from 'preact';
import { useSending } from '../state/console-api.ts';
import { SERVER } from '../state/page.ts';
import {
  account,
  accountBefore,
  type Login,
  logIn,
  loginIn,
  signInWanted,
  token,
  tokenHintIn,
} from '../state/session.ts';
import { apiDocument, useStore } from '../state/store.ts';
import { Accounts } from '../ui/accounts.tsx';
import { Button, Field, FieldError, IconButton } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { withCode } from '../ui/text.tsx';

export function SignIn(): JSX.Element | null {
  const { value: document } = useStore(apiDocument);
  const current = useStore(token);
  const who = useStore(account);
  const before = useStore(accountBefore);
  const isOpen = useStore(signInWanted);
  const hint = document && tokenHintIn(document);
  if (document === null || hint === null) return null;
  const close = (): void => signInWanted.set(false);
  const login = loginIn(document);
  return (
    <>
      <button
        type="button"
        class={`button authorise ${current === null ? '' : 'is-on'}`}
        aria-haspopup="dialog"
        onClick={() => signInWanted.set(true)}
      >
        <Icon name={current === null ? 'lock' : 'unlock'} />
        <span class="label ellipsis">{current === null ? 'Sign in' : (who ?? 'With a token')}</span>
      </button>
      {before && <IconButton icon="swap" label={`Switch to ${before.name}`} onClick={() => token.set(before.token)} />}
      <Dialog title={current === null ? 'Sign in' : 'Switch account'} isOpen={isOpen} onClose={close}>
        <p class="soft small">
          Requests from this page carry the token until this tab is closed. It is sent only to this server.
        </p>
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
        <Accounts onDone={close} />
        {login && <LoginForm login={login} onDone={close} />}
        <TokenForm hint={hint} look={login ? 'quiet' : 'primary'} onDone={close} />
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
