/**
 * The routes of password login. `register` and `me` are endpoints like any other, written here instead of in the source;
 * `login`, `logout` and those that take the token of a mail are not.
 */
import { ACCOUNT_METHODS, type AccountRoute, accountPath } from './contract/routes.ts';
import { LONGEST_PASSWORD } from './contract/validators.ts';
import type { Definition, Field, Model } from './definition.ts';
import {
  type AccountMail,
  type AccountWrite,
  type Auth,
  type Endpoint,
  PLAIN_ENDPOINT,
  plainInput,
  type ValueInput,
} from './endpoint.ts';
import type { Read } from './expression.ts';

export type PasswordAuth = Auth & { readonly password: NonNullable<Auth['password']> };

export function passwordAuthOf({ auth }: Definition): PasswordAuth | null {
  return auth?.password ? (auth as PasswordAuth) : null;
}

/** Tables of Kiln's own: no name of an author begins with `kiln_`. */
export const TOKENS = 'kiln_tokens';
export const LOGIN_FAILURES = 'kiln_login_failures';
export const MAIL_TOKENS = 'kiln_mail_tokens';
export const UNVERIFIED = 'kiln_unverified';

/** Stands for the hash of an account that was invited and has no password yet: it fits none. */
export const INVITED = 'invited';

/** How long the token of a mail can be used, in seconds. */
export const TOKEN_TIMES = { verify: 3 * 86_400, reset: 3600, invite: 7 * 86_400 } as const;

export type Purpose = keyof typeof TOKEN_TIMES;

/** The mails that bring tokens, by what these are for. */
export function accountMails({ password }: PasswordAuth): readonly (AccountMail & { readonly purpose: Purpose })[] {
  const purposes = Object.keys(TOKEN_TIMES) as readonly Purpose[];
  return purposes.flatMap((purpose) => {
    const mail = password[purpose];
    return mail ? [{ ...mail, purpose }] : [];
  });
}

/** The endpoints of accounts: `register`, unless it is off, and `me`. */
export function accountEndpoints(auth: PasswordAuth, definition: Definition): readonly Endpoint[] {
  const { register } = auth.password;
  const me = meEndpoint(auth, definition);
  return register ? [registerEndpoint(auth, register, definition), me] : [me];
}

function registerEndpoint(auth: PasswordAuth, { inputs, values }: AccountWrite, { models }: Definition): Endpoint {
  const { model, password } = auth;
  const endpoint: Endpoint = {
    ...PLAIN_ENDPOINT,
    id: 'auth.register',
    doc: 'Creates an account. Only a hash of the password is stored.',
    kind: 'create',
    method: ACCOUNT_METHODS.register,
    path: accountPath('register'),
    model,
    request: { from: 'body', inputs },
    actions: [{ kind: 'create', record: 'account', model, values, link: null, reads: [idRead(model, models)] }],
    response: { kind: 'record', status: 201, record: 'account', select: password.me, location: null },
  };
  return password.verify
    ? { ...endpoint, doc: VERIFIED, head: { status: 202 }, response: { kind: 'nothing' } }
    : endpoint;
}

const VERIFIED =
  'Creates an account and sends a mail to verify its address. The answer is the same if there is such an account already.';

/** Makes the account of an invitation. It has no route. */
export function inviteEndpoint(auth: PasswordAuth, invite: AccountWrite, definition: Definition): Endpoint {
  return { ...registerEndpoint(auth, invite, definition), id: 'auth.invite', response: { kind: 'nothing' } };
}

/** Changes the password of the account that the input `id` names. It has no route. */
export function passwordEndpoint(
  { model }: PasswordAuth,
  { inputs, values }: AccountWrite,
  { models }: Definition,
): Endpoint {
  const { type } = fieldOf(model, 'id', models);
  return {
    ...PLAIN_ENDPOINT,
    id: 'auth.password',
    model,
    request: { from: 'body', inputs: [...inputs, plainInput('id', type)] },
    actions: [
      { kind: 'update', record: 'account', model, id: { kind: 'input', path: ['id'], type }, values, reads: [] },
    ],
  };
}

export function meEndpoint({ model, password }: PasswordAuth, { models }: Definition): Endpoint {
  return {
    ...PLAIN_ENDPOINT,
    id: 'auth.me',
    doc: 'Returns the account that the token belongs to.',
    kind: 'get',
    method: ACCOUNT_METHODS.me,
    path: accountPath('me'),
    model,
    authReads: [idRead(model, models)],
    authorize: [{ kind: 'authenticated', type: { kind: 'boolean' } }],
    request: { from: 'query', inputs: [] },
    response: { kind: 'record', status: 200, record: '@auth', select: password.me, location: null },
  };
}

function idRead(name: string, models: readonly Model[]): Read {
  const { type } = fieldOf(name, 'id', models);
  return { name: 'id', kind: 'value', value: { kind: 'field', path: [], model: name, field: 'id', type } };
}

function fieldOf(name: string, field: string, models: readonly Model[]): Field {
  const model = models.find((candidate) => candidate.name === name) as Model;
  return model.fields.find((candidate) => candidate.name === field) as Field;
}

/** A route that is no endpoint. */
interface PlainRoute {
  readonly name: Exclude<AccountRoute, 'register' | 'me'>;
  readonly doc: string;
  readonly inputs: readonly ValueInput[];
  readonly gives: 'token' | 'accepted' | 'nothing';
}

export function accountRoutes(auth: PasswordAuth, definition: Definition): readonly PlainRoute[] {
  const { verify, reset, invite, change } = auth.password;
  const login = loginInputs(auth, definition);
  const token = { ...plainInput('token'), maxBytes: LONGEST_TOKEN };
  const changed = [token, ...(change?.inputs ?? [])];
  const set = (of: string) => `Sets a password by the token of ${of}, ends all sessions, and signs in`;
  const verified = 'Verifies an address by the token of a mail and the password of the account, and signs in';
  const forgot = 'Sends a mail to set a new password, if there is such an account';
  const routes: readonly (PlainRoute | undefined)[] = [
    { name: 'login', doc: 'Signs in with a password and returns a token', inputs: login, gives: 'token' },
    { name: 'logout', doc: 'Revokes the token of this request', inputs: [], gives: 'nothing' },
    verify && { name: 'verify', doc: verified, inputs: [token, ...login.slice(1)], gives: 'token' },
    reset && { name: 'forgot', doc: forgot, inputs: login.slice(0, 1), gives: 'accepted' },
    reset && { name: 'reset', doc: set('a mail'), inputs: changed, gives: 'token' },
    invite && { name: 'accept', doc: set('an invitation'), inputs: changed, gives: 'token' },
  ];
  return routes.filter((route) => route !== undefined);
}

/** No token is as long. */
const LONGEST_TOKEN = 200;

/** The answer to the right password of an account whose address is not verified. */
export const NOT_VERIFIED = { code: 'not-verified', status: 403 } as const;

/**
 * The inputs of a login. They are the same for every application with password login, except for the name of the field
 * and how it is normalised.
 */
export function loginInputs({ model, password }: PasswordAuth, { models }: Definition): readonly ValueInput[] {
  const login = fieldOf(model, password.login, models);
  const normalise = login.normalise ? { normalise: login.normalise } : {};
  return [
    { ...plainInput(login.name), ...normalise },
    { ...plainInput('password'), maxBytes: LONGEST_PASSWORD },
  ];
}
