/** The dialog in which a reader logs in, or pastes a token that came from elsewhere. */
import { SERVER } from './browser/address.ts';
import { element, icon } from './browser/element.ts';
import { LOCK } from './icons.ts';
import type { Login } from './open-api.ts';
import { currentToken, keepToken, logIn } from './session.ts';

export function authoriseButton(login: Login | null, hint: string): HTMLElement {
  const dialog = dialogOf(login, hint);
  const label = element('span', { class: 'label' });
  const button = element(
    'button',
    { type: 'button', class: 'tool authorise', 'aria-haspopup': 'dialog' },
    icon(LOCK),
    label,
  );
  const refresh = (): void => {
    const has = currentToken() !== null;
    label.textContent = has ? 'Authorised' : 'Authorise';
    button.classList.toggle('is-on', has);
    dialog.classList.toggle('has-token', has);
  };
  button.addEventListener('click', () => dialog.showModal());
  document.addEventListener('kiln-authorise', () => dialog.showModal());
  document.addEventListener('kiln-token', refresh);
  document.body.append(dialog);
  refresh();
  return button;
}

function dialogOf(login: Login | null, hint: string): HTMLDialogElement {
  const dialog = element('dialog', { class: 'dialog', 'aria-labelledby': 'authorise-title' });
  const close = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '×');
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.append(
    element('div', { class: 'dialog-head' }, element('h2', { id: 'authorise-title' }, 'Authorise'), close),
    element(
      'p',
      { class: 'dialog-hint' },
      'Requests from this page carry the token until the tab is closed. It is sent to this server alone.',
    ),
    ...(login ? [loginForm(login, dialog)] : []),
    tokenForm(dialog, hint, login === null ? 'primary' : 'quiet'),
    signOut(dialog),
  );
  return dialog;
}

function loginForm({ path, name }: Login, dialog: HTMLDialogElement): HTMLFormElement {
  const who = input(name, { autocomplete: 'username', required: true });
  const password = input('password', { type: 'password', autocomplete: 'current-password', required: true });
  const submit = async (): Promise<void> => {
    await logIn(`${SERVER}${path}`, { [name]: who.field.value, password: password.field.value });
    password.field.value = '';
    dialog.close();
  };
  return form('Log in', [who.label, password.label], submit, 'primary');
}

function tokenForm(dialog: HTMLDialogElement, hint: string, look: ButtonLook): HTMLFormElement {
  const token = input('token', { autocomplete: 'off', spellcheck: 'false', required: true });
  const submit = async (): Promise<void> => {
    keepToken(token.field.value.trim().replace(/^bearer\s+/i, ''));
    token.field.value = '';
    dialog.close();
  };
  const note = hint === '' ? [] : [element('p', { class: 'dialog-note' }, hint.replaceAll('`', ''))];
  return form('Use token', [...note, token.label], submit, look);
}

function signOut(dialog: HTMLDialogElement): HTMLElement {
  const button = element('button', { type: 'button', class: 'quiet sign-out' }, 'Forget the token');
  button.addEventListener('click', () => {
    keepToken(null);
    dialog.close();
  });
  return button;
}

interface LabelledInput {
  readonly label: HTMLLabelElement;
  readonly field: HTMLInputElement;
}

function input(name: string, attributes: Readonly<Record<string, string | boolean>>): LabelledInput {
  const field = element('input', { name, type: 'text', autocapitalize: 'none', ...attributes });
  return { label: element('label', {}, element('span', {}, name), field), field };
}

type ButtonLook = 'primary' | 'quiet';

function form(action: string, parts: readonly Node[], submit: () => Promise<void>, look: ButtonLook): HTMLFormElement {
  const refusal = element('p', { class: 'refusal', role: 'alert' });
  const button = element('button', { type: 'submit', class: look }, action);
  const made = element('form', { autocomplete: 'on' }, ...parts, refusal, button);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    refusal.textContent = '';
    button.disabled = true;
    submit()
      .catch((error: Error) => {
        refusal.textContent = error.message;
      })
      .finally(() => {
        button.disabled = false;
      });
  });
  return made;
}
