/**
 * The routes that verify addresses, reset passwords and accept invitations, by tokens that mails bring. Whether there is
 * an account shows neither in the answer nor in the work that is done for it.
 */
import type { Logger } from 'pino';
import {
  accountEndpoints,
  accountMails,
  accountRoutes,
  INVITED,
  inviteEndpoint,
  loginInputs,
  meEndpoint,
  type Purpose,
  passwordAuthOf,
  passwordEndpoint,
} from '../../compiler/definition/accounts.ts';
import { ACCOUNT_METHODS, type AccountRoute, accountPath } from '../../compiler/definition/contract/routes.ts';
import type { AccountMail, AccountWrite, Endpoint, ValueInput } from '../../compiler/definition/endpoint.ts';
import type { Job } from '../../compiler/definition/work.ts';
import { attemptGuard, type SessionTools } from '../auth/session-routes.ts';
import { accountReads, digestOf, fieldOf, modelOf, readOf, signInWithoutPassword } from '../auth/session-tokens.ts';
import { ApiError, type InputError } from '../errors/api-error.ts';
import { fitsHash, tooManyHashes } from '../expressions/passwords.ts';
import { emptyScope, type Scope } from '../expressions/scope.ts';
import { mailStoring, mailTokens, unverifiedCount, unverifying } from '../query/account-mails.ts';
import { accountByField } from '../query/accounts.ts';
import type { DataConnection } from '../query/database.ts';
import { scopeOn } from '../query/prepared.ts';
import { type Answer, type Exchange, plainRoute, type Route } from '../request/exchange.ts';
import { inputCheckOf, type Sent } from '../request/inputs.ts';
import { isHashingFull } from '../values/password.ts';
import { randomToken } from '../values/uuid.ts';
import type { Application } from './attempt.ts';
import { endpointTools } from './endpoint-route.ts';
import { invalid } from './endpoint-work.ts';
import { type WorkRoute, workRoute } from './work-route.ts';

interface AccountTools extends Omit<SessionTools, 'database' | 'authenticator'> {
  readonly application: Application;
}

const ACCEPTED: Answer = { status: 202, headers: { 'cache-control': 'no-store' }, body: null };

/** The routes, and the endpoints without a route that do their work. */
export function accountMailRoutes(tools: AccountTools) {
  const { definition, auth, application } = tools;
  const { verify, reset, invite, change } = auth.password;
  const work = (endpoint: Endpoint) => workRoute(endpoint, TIMES, application);
  const create = verify && work(accountEndpoints(auth, definition)[0] as Endpoint);
  const update = change && work(passwordEndpoint(auth, change, definition));
  const route = (name: AccountRoute, handle: Route['handle']) =>
    plainRoute(ACCOUNT_METHODS[name], accountPath(name), handle);
  const routes: readonly Route[] = [
    ...(verify && create ? [route('register', registering(tools, verify, create))] : []),
    ...(verify ? [route('verify', using(tools, 'verify', 'verify', passwordCheck(tools)))] : []),
    ...(reset
      ? [route('forgot', forgetting(tools, reset)), route('reset', using(tools, 'reset', 'reset', update as WorkRoute))]
      : []),
    ...(invite ? [route('accept', using(tools, 'accept', 'invite', update as WorkRoute))] : []),
  ];
  return { routes, works: [create, update].filter((each) => each !== undefined) };
}

// ── Mails ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Both for an account and for none: the attempt is counted and committed, and one statement stores the mail or nothing. */
function forgetting(tools: AccountTools, reset: AccountMail): Route['handle'] {
  const { database, storedJobs } = tools.application;
  const inputs = checkOf(tools, 'forgot');
  const guard = attemptGuard(tools, 'mail');
  const store = mailStoring(tools, reset);
  return async (exchange) => {
    const { inputs: sent } = await inputs(exchange);
    const login = String(sent[tools.auth.password.login]);
    await database.forRequest().transaction(
      async (transaction) => {
        await guard?.admit(exchange, login, scopeOn(transaction));
        await store(transaction, { login });
      },
      { isRepeatable: true },
    );
    storedJobs?.();
    return ACCEPTED;
  };
}

/** For a login that is taken, everything is done as for one that is not, up to the insert. */
function registering(tools: AccountTools, verify: AccountMail, create: WorkRoute): Route['handle'] {
  const { auth, definition, application } = tools;
  const login = loginInputs(auth, definition).slice(0, 1);
  const inputs = inputCheckOf({ from: 'body', inputs: login }, tools.environment);
  const guard = attemptGuard(tools, 'mail');
  const unverify = unverifying(tools);
  const [store, storeAgain] = [mailStoring(tools, verify), mailStoring(tools, verify, true)];
  return async (exchange) => {
    const input = await exchange.readBody();
    const scope = emptyScope();
    await inputs(input, scope, []);
    const name = String(scope.inputs[auth.password.login]);
    const sending = (isNew: boolean) => async (transaction: DataConnection) => {
      await guard?.admit(exchange, name, scopeOn(transaction));
      if (isNew) await unverify(transaction, { login: name });
      await (isNew ? store : storeAgain)(transaction, { login: name });
    };
    try {
      await create.perform({ ...workOf(exchange), input, end: sending(true) });
    } catch (error) {
      throwUnlessTaken(error, auth.password.login);
      await application.database.forRequest().transaction(sending(false), { isRepeatable: true });
    }
    application.storedJobs?.();
    return ACCEPTED;
  };
}

/** Nobody learns from an error that the login is taken. */
function throwUnlessTaken(error: unknown, login: string): void {
  if (!(error instanceof ApiError) || error.code !== 'validation-failed') throw error;
  const others = error.errors.filter(({ path, code }) => path !== login || code !== 'already-exists');
  if (others.length > 0) throw invalid(others);
}

// ── Tokens ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Throws if the password does not fit the account with this id. */
type PasswordCheck = (exchange: Exchange, id: string, password: string) => Promise<void>;

/** Takes the token of a mail and gives one of a session, for the password of the account or for a new one. */
function using(
  tools: AccountTools,
  name: AccountRoute,
  purpose: Purpose,
  password: WorkRoute | PasswordCheck,
): Route['handle'] {
  const { application } = tools;
  const signIn = signInWithoutPassword({ ...tools, database: application.database });
  const inputs = checkOf(tools, name);
  const tokens = mailTokens(tools, purpose);
  return async (exchange) => {
    const { inputs: sent } = await inputs(exchange);
    const hash = digestOf(String(sent.token));
    const database = application.database.forRequest();
    const id = await tokens.find(database, hash);
    if (id === null) throw badToken();
    // Of several requests with one token, the first to remove it wins.
    const end = async (transaction: DataConnection) => {
      if ((await tokens.use(transaction, { id, hash })) === 0) throw badToken();
    };
    if (typeof password === 'function') {
      await password(exchange, id, String(sent.password));
      await database.transaction(end, { isRepeatable: true });
    } else {
      const input = { ...sent, id: idValue(tools, id) } as Sent;
      await password.perform({ ...workOf(exchange), input, end });
    }
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(await signIn(id)) };
  };
}

/**
 * Somebody else may have registered the address, with a password that its owner does not know. So the mail alone does not
 * verify it. Attempts are limited like logins.
 */
function passwordCheck(tools: AccountTools): PasswordCheck {
  const { auth, application, statements } = tools;
  const { login, hash } = auth.password;
  const model = modelOf(tools);
  const { reads, profile } = accountReads(model, auth);
  const wants = { reads: [...reads, readOf(model, fieldOf(model, login))], profile };
  const accounts = accountByField(model, fieldOf(model, 'id'), wants, statements);
  const guard = attemptGuard(tools, 'login');
  return async (exchange, id, password) => {
    if (isHashingFull()) throw tooManyHashes();
    const scope = scopeOn(application.database.forRequest());
    const account = await accounts(scope, id);
    if (account === null) throw badToken();
    const attempt = await guard?.admit(exchange, String(account.reads[login]), scope);
    let isWrong = false;
    try {
      isWrong = !(await fitsHash(password, String(account.reads[hash])));
    } finally {
      if (attempt && !isWrong) await guard?.takeBack(attempt, scope);
    }
    if (isWrong) throw badPassword();
  };
}

function idValue({ application, auth }: AccountTools, id: string): string | number {
  const isText = application.catalogue.model(auth.model).field('id').type.kind === 'uuid';
  return isText ? id : Number(id);
}

function badToken(): ApiError {
  return invalid([{ path: 'token', code: 'bad-token', message: 'is wrong, was used or has expired', params: {} }]);
}

function badPassword(): ApiError {
  const message = 'is not the one that the account was registered with';
  return invalid([{ path: 'password', code: 'bad-password', message, params: {} }]);
}

/**
 * A mail of accounts gets its token when it is sent, so that no token is stored. Another try has another one. A mail that
 * is only tried has one that nothing knows.
 */
export function withToken(route: WorkRoute, { name }: Job, application: Application, isSent: boolean): WorkRoute {
  const { definition, database } = application;
  const auth = passwordAuthOf(definition);
  const mail = auth && accountMails(auth).find((each) => each.mail === name);
  if (!mail) return route;
  const { statements } = endpointTools(meEndpoint(auth, definition), application);
  const tokens = mailTokens({ definition, auth, statements }, mail.purpose);
  return {
    ...route,
    statements: () => [...route.statements(), ...statements.all],
    async perform(work) {
      const token = randomToken();
      if (isSent) await tokens.add(database, { hash: digestOf(token), id: String(work.input[mail.account]) });
      await route.perform({ ...work, input: { ...work.input, token } });
    },
  };
}

// ── Invitations ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * `again` for an account that was invited before, `taken` for one that somebody has registered without verifying the
 * address, `known` for one that has a password.
 */
type Invited = 'new' | 'again' | 'taken' | 'known';

/** Makes an account without a password and stores the mail with its invitation. Values are texts. */
export function inviting(tools: AccountTools, invite: AccountMail & AccountWrite) {
  const { auth, definition, application } = tools;
  const { login, hash } = auth.password;
  const endpoint = inviteEndpoint(auth, invite, definition);
  const create = workRoute({ ...endpoint, request: { from: 'query', inputs: invite.inputs } }, TIMES, application);
  const { request, ...rest } = passwordEndpoint(auth, invite, definition);
  const overwrite = workRoute({ ...rest, request: { ...request, from: 'query' } }, TIMES, application);
  const unverified = auth.password.verify ? unverifiedCount(tools) : async () => 0;
  const store = mailStoring(tools, invite);
  const model = modelOf(tools);
  const accounts = accountByField(model, fieldOf(model, login), accountReads(model, auth), tools.statements);
  const inputs = inputCheckOf({ from: 'body', inputs: loginInputs(auth, definition).slice(0, 1) }, tools.environment);
  return async (input: Sent, log: Logger): Promise<Invited | readonly InputError[]> => {
    const scope = scopeOn(application.database);
    await inputs(input, scope, []);
    const name = String(scope.inputs[login]);
    const account = await accounts(scope, name);
    const isInvited = account?.reads[hash] === INVITED;
    const id = String(account?.reads.id);
    if (account && !isInvited && (await unverified(application.database, { id })) === 0) return 'known';
    const end = async (transaction: DataConnection) => void (await store(transaction, { login: name }));
    const work = { id: 'invite', attempt: 1, depth: 0, signal: new AbortController().signal, log };
    try {
      if (isInvited) await end(application.database);
      else if (account) await overwrite.perform({ ...work, input: { ...input, id }, end });
      else await create.perform({ ...work, input, end });
      return isInvited ? 'again' : account ? 'taken' : 'new';
    } catch (error) {
      if (error instanceof ApiError && error.errors.length > 0) return error.errors;
      throw error;
    }
  };
}

// ── Shared ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** In seconds. There is no code that could take so long. */
const TIMES = { timeout: 30 };

function workOf({ id, signal, log }: Exchange) {
  return { id, signal, log, attempt: 1, depth: 0 };
}

/** Reads the inputs of a route; throws if they are invalid. */
function checkOf(tools: AccountTools, name: AccountRoute): (exchange: Exchange) => Promise<Scope> {
  const { inputs } = accountRoutes(tools.auth, tools.definition).find((route) => route.name === name) as {
    readonly inputs: readonly ValueInput[];
  };
  const check = inputCheckOf({ from: 'body', inputs }, tools.environment);
  return async (exchange) => {
    const scope = emptyScope();
    const errors = await check(await exchange.readBody(), scope, []);
    if (errors.length > 0) throw invalid(errors);
    return scope;
  };
}
