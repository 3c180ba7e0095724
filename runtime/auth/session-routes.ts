/** `login` and `logout`: a token for a password, and the end of a token. */
import { accountPath, loginInputs, type PasswordAuth } from '../../compiler/definition/accounts.ts';
import type { Definition, Field, Model, Read } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ValidationEnvironment } from '../expressions/compiled-validation.ts';
import { fitsHash } from '../expressions/passwords.ts';
import { emptyScope } from '../expressions/scope.ts';
import { accountByField, tokensOf } from '../query/accounts.ts';
import type { Database } from '../query/database.ts';
import type { Statements } from '../query/statements.ts';
import type { Answer, Exchange, Route } from '../request/exchange.ts';
import { inputCheckOf } from '../request/inputs.ts';
import { binderOf } from '../values/bind.ts';
import { nobodysHash } from '../values/password.ts';
import { randomToken } from '../values/token.ts';
import type { Value } from '../values/value.ts';
import type { Authenticator } from './authenticator.ts';
import { bearerToken, tokenHash } from './tokens.ts';

export interface SessionTools {
  readonly definition: Definition;
  readonly auth: PasswordAuth;
  readonly database: Database;
  readonly statements: Statements;
  readonly environment: ValidationEnvironment;
  readonly authenticator: Authenticator;
  /** In seconds. */
  readonly tokenLifetime: number;
}

export function sessionRoutes(tools: SessionTools): readonly Route[] {
  return [route('login', loginOf(tools)), route('logout', logoutOf(tools))];
}

type Handle = (exchange: Exchange) => Promise<Answer>;

function route(name: string, handle: Handle): Route {
  return {
    pattern: `/api/auth/${name}`,
    method: 'POST',
    path: accountPath(name),
    needsExpress: false,
    handle,
  };
}

function loginOf({ definition, auth, database, statements, environment, tokenLifetime }: SessionTools): Handle {
  const model = definition.models.find(({ name }) => name === auth.model) as Model;
  const login = fieldOf(model, auth.password.login);
  const id = fieldOf(model, 'id');
  const wants = { reads: [readOf(model, id), readOf(model, fieldOf(model, auth.password.hash))], profile: [] };
  const accounts = accountByField(model, login, wants, statements);
  const tokens = tokensOf(statements.catalogue.sqlType(id.type), statements);
  const inputs = inputCheckOf({ from: 'body', inputs: loginInputs(auth, definition) }, environment);
  return async (exchange) => {
    const scope = emptyScope();
    const errors = await inputs.check(await exchange.readBody(), scope);
    if (errors.length > 0) throw new ApiError('validation-failed', { errors });
    const account = await accounts.find(database, scope, scope.inputs[login.name] as string);
    const hash = (account?.reads[auth.password.hash] ?? NOBODYS_HASH) as string;
    // Also for an account that is not there, so that the time tells nothing.
    const isRight = await fitsHash(scope.inputs.password as string, hash);
    if (account === null || !isRight) throw wrongCredentials();
    const token = randomToken();
    const bound = binderOf(id.type)(account.reads.id as Value);
    const expiresAt = await tokens.add(database, scope, tokenHash(token), bound, tokenLifetime);
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: JSON.stringify({ token, expiresAt }) };
  };
}

const NOBODYS_HASH = nobodysHash();

function wrongCredentials(): ApiError {
  return new ApiError('unauthenticated', { detail: 'The login or the password is wrong.' });
}

function logoutOf({ database, statements, authenticator, definition, auth }: SessionTools): Handle {
  const model = definition.models.find(({ name }) => name === auth.model) as Model;
  const tokens = tokensOf(statements.catalogue.sqlType(fieldOf(model, 'id').type), statements);
  return async ({ request }) => {
    const scope = emptyScope();
    const header = request.headers.authorization;
    const account = await authenticator.authenticate(header, database, scope);
    if (account === null) throw new ApiError('unauthenticated');
    await tokens.remove(database, scope, tokenHash(bearerToken(header) as string));
    return { status: 204, headers: null, body: null };
  };
}

function fieldOf({ fields }: Model, name: string): Field {
  return fields.find((field) => field.name === name) as Field;
}

function readOf(model: Model, { name, type }: Field): Read {
  return { name, kind: 'value', value: { kind: 'field', path: [], model: model.name, field: name, type } };
}
