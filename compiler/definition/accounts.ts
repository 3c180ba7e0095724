/**
 * The routes of password login. `register` and `me` are endpoints like any other, written here instead of in the source;
 * `login` and `logout` are not.
 */
import { ACCOUNT_METHODS, accountPath } from './contract/routes.ts';
import { LONGEST_PASSWORD } from './contract/validators.ts';
import type { Definition, Field, Model } from './definition.ts';
import type { Auth, Endpoint, ValueInput } from './endpoint.ts';
import type { Read } from './expression.ts';

export type PasswordAuth = Auth & { readonly password: NonNullable<Auth['password']> };

export function passwordAuthOf({ auth }: Definition): PasswordAuth | null {
  return auth?.password ? (auth as PasswordAuth) : null;
}

/** Tables of Kiln's own: no name of an author begins with `kiln_`. */
export const TOKENS = 'kiln_tokens';
export const LOGIN_FAILURES = 'kiln_login_failures';

/**
 * Whether a token knows the password it was given for, and failed logins are counted. A database made by an earlier
 * Kiln has this after its next release.
 */
export function hasBoundTokens({ password }: PasswordAuth): boolean {
  return password.sessionTables === 2;
}

const SHARED = { api: null, cardinality: 'many', records: [] } as const;

/** The endpoints of accounts: `register`, unless it is off, and `me`. */
export function accountEndpoints(auth: PasswordAuth, definition: Definition): readonly Endpoint[] {
  const { register } = auth.password;
  const me = meEndpoint(auth, definition);
  return register ? [registerEndpoint(auth, register, definition), me] : [me];
}

function registerEndpoint(
  { model, password }: PasswordAuth,
  { inputs, values }: NonNullable<PasswordAuth['password']['register']>,
  { models }: Definition,
): Endpoint {
  return {
    ...SHARED,
    id: 'auth.register',
    doc: 'Creates an account. Only a hash of the password is stored.',
    kind: 'create',
    method: ACCOUNT_METHODS.register,
    path: accountPath('register'),
    model,
    authReads: [],
    authorize: [],
    request: { from: 'body', inputs },
    actions: [{ kind: 'create', record: 'account', model, values, link: null, reads: [idRead(model, models)] }],
    response: { kind: 'record', status: 201, record: 'account', select: password.me, location: null },
  };
}

export function meEndpoint({ model, password }: PasswordAuth, { models }: Definition): Endpoint {
  return {
    ...SHARED,
    id: 'auth.me',
    doc: 'Returns the account that the token belongs to.',
    kind: 'get',
    method: ACCOUNT_METHODS.me,
    path: accountPath('me'),
    model,
    authReads: [idRead(model, models)],
    authorize: [{ kind: 'authenticated', type: { kind: 'boolean' } }],
    request: { from: 'query', inputs: [] },
    actions: [],
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

/**
 * The inputs of a login. They are the same for every application with password login, except for the name of the field
 * and how it is normalised.
 */
export function loginInputs({ model, password }: PasswordAuth, { models }: Definition): readonly ValueInput[] {
  const login = fieldOf(model, password.login, models);
  const normalise = login.normalise ? { normalise: login.normalise } : {};
  return [
    { ...textInput(login.name), ...normalise },
    { ...textInput('password'), maxBytes: LONGEST_PASSWORD },
  ];
}

function textInput(name: string): ValueInput {
  return {
    kind: 'value',
    name,
    doc: null,
    type: { kind: 'string' },
    required: true,
    default: null,
    validate: null,
    stores: null,
    finds: null,
  };
}
