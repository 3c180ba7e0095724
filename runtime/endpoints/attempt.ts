/**
 * What is done for one request, or for one try of a job: who asks, the work with its transactions and calls, and why it was
 * refused.
 */

import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { ON_PRIMARY, POSITION } from '../../compiler/definition/contract/routes.ts';
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import { once } from '../../compiler/definition/memo.ts';
import type { Catalogue } from '../../compiler/definition/sql/catalogue.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { OutsideTokens } from '../auth/outside-tokens.ts';
import { ApiError, type InputError } from '../errors/api-error.ts';
import type { Clock, RequestValues } from '../expressions/scope.ts';
import type { HookContext } from '../hooks/context.ts';
import type { HookSettings } from '../hooks/hook-function.ts';
import type { HookDatabases } from '../hooks/objection-models.ts';
import type { EndpointPlan } from '../plan/endpoint-plan.ts';
import { indexedInputs, type KeyInput, keyInputs } from '../plan/input-uses.ts';
import type { Account } from '../query/accounts.ts';
import { notFound } from '../query/checks.ts';
import {
  type Database,
  DatabaseError,
  type DataConnection,
  isOutage,
  type ReadReplicas,
  type RequestDatabase,
  type Transaction,
} from '../query/database.ts';
import type { Statements } from '../query/statements.ts';
import type { Answer, Exchange } from '../request/exchange.ts';
import { textOfSent } from '../request/form-body.ts';
import type { HeldResponse } from '../request/held-response.ts';
import { inputAt, placeOfItem } from '../request/inputs.ts';
import type { LiveRequest } from '../request/live-request.ts';
import type { SettingValues } from '../values/settings.ts';
import { uuidOf } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import {
  type FileTools,
  newScope,
  type Outcome,
  type PreparedCall,
  type RequestScope,
  WrittenError,
} from './action-tools.ts';
import {
  type EndpointWork,
  invalid,
  logUndecided,
  notAuthorized,
  perform,
  performNext,
  type Received,
} from './endpoint-work.ts';
import { HashingBetween, HashingDue } from './hashing-between.ts';
import type { IgnoredKeys } from './ignored-keys.ts';
import { type CallWork, goneMeanwhile, type PartWork, runTransaction, type TransactionWork } from './parts.ts';

export interface Application {
  readonly definition: Definition;
  readonly models: ReadonlyMap<string, Model>;
  readonly database: Database;
  /** For reads. Absent where there are none. */
  readonly replicas?: ReadReplicas | undefined;
  readonly hooks: HookSettings;
  readonly settings: SettingValues;
  readonly outside: OutsideTokens | null;
  readonly listLimit: number;
  readonly files: FileTools;
  readonly catalogue: Catalogue;
  /** Null where there is no code that could use them. */
  readonly hookDatabases: Promise<HookDatabases | null>;
  readonly overflowed: (overflow: Overflow) => void;
  /** Called after requests and jobs that may have stored jobs. */
  readonly storedJobs?: (() => void) | undefined;
  /** Called after requests and jobs that may have changed something. */
  readonly changed?: (() => void) | undefined;
  /** Answers requests for live lists. Absent where there are none. */
  readonly live?: ((request: LiveRequest, exchange: Exchange) => Promise<Answer>) | undefined;
  /** Called for each request with keys that nothing takes, in development. */
  readonly ignored?: ((ignored: IgnoredKeys) => void) | undefined;
}

/** A computed value was out of range; null was used instead. */
export interface Overflow {
  readonly method: string;
  readonly route: string;
  /** The records that were read. */
  readonly model: string;
}

export interface Compiled {
  readonly plan: EndpointPlan;
  /** Reads a request, without a promise where there is nothing to wait for, as for most requests that read. */
  readonly receive: (plan: EndpointPlan, exchange: Exchange) => Promise<Received> | Received;
  readonly work: EndpointWork;
  readonly authenticator: Authenticator;
  readonly statements: Statements;
}

/** The work of one request, or of one try of a job, with its transactions. */
export class Attempt {
  readonly #compiled: Compiled;
  readonly #exchange: Exchange;
  readonly #application: Application;
  readonly #received: Received;
  #database: RequestDatabase;
  /** Repeats of the request keep its moment. */
  readonly #clock: Clock = { moment: null };
  readonly #request: RequestValues;
  /** The hashes of the request, made with the first transaction. */
  #hashing: HashingBetween | null = null;
  #hookDatabases: HookDatabases | null = null;
  #scope: RequestScope | null = null;
  /** Of the last part that is committed. */
  #committed: RequestScope | null = null;

  constructor(
    compiled: Compiled,
    exchange: Exchange,
    application: Application,
    received: Received,
    request: RequestValues = { headers: exchange.request.headers, claims: null },
  ) {
    this.#compiled = compiled;
    this.#exchange = exchange;
    this.#application = application;
    this.#received = received;
    this.#database = this.#newDatabase();
    this.#request = request;
  }

  #newDatabase(): RequestDatabase {
    return this.#application.database.forRequest(() => {
      this.#exchange.hasWritten = true;
    });
  }

  /** All that was found of the request; null until its work begins. */
  get scope(): RequestScope | null {
    return this.#scope;
  }

  /**
   * Finds the caller before a connection is taken for a transaction: if those who hold one waited for another, there
   * would be a deadlock.
   */
  caller(): Promise<Caller> | Caller {
    const database = this.#database;
    const header = this.#request.headers.authorization;
    if (header === undefined) return ANONYMOUS;
    return authenticated(async () => {
      const scope = newScope(database, null, this.#clock, this.#request);
      const account = await this.#compiled.authenticator.authenticate(header, scope);
      if (account) this.#exchange.caller = account.reads.id === undefined ? null : String(account.reads.id);
      return account;
    });
  }

  /** Each part is a transaction. What is called between two of them has neither a transaction nor a connection. */
  async inTransaction(caller: Caller): Promise<Answer | null> {
    const { plan, work } = this.#compiled;
    if (plan.usesHooks) this.#hookDatabases = await this.#application.hookDatabases;
    const { signal, held } = this.#exchange;
    let done = await this.#transaction(newOutcome(held), (on, outcome) => this.on(on, caller, outcome), signal);
    for (const [at, part] of work.parts.entries()) {
      if (done === null || part.call === null) break;
      const next = work.parts[at + 1] as PartWork;
      const result = await this.#call(part.call, at, done.outcome, caller);
      const perform = async (on: Transaction, outcome: Outcome) => {
        const scope = await this.#scopeBehind(on, caller, next);
        if (part.call?.result) scope.records[part.call.result] = result as Value;
        return performNext(this.#requestOf(scope, outcome), next);
      };
      // A client that has gone away ends nothing any more: the other service has done its work.
      done = await this.#transaction(done.outcome, perform, this.#exchange.job?.signal);
    }
    if (held?.responds) await this.#release(held);
    return done?.answer ?? null;
  }

  /** What a hook has written is sent before anybody else can say where the primary is by now. */
  async #release(held: HeldResponse): Promise<void> {
    const { replicas } = this.#application;
    if (replicas) this.#exchange.response.setHeader(POSITION, (await replicas.position(true)) ?? ON_PRIMARY);
    held.release();
  }

  /** Passwords are hashed between attempts, see `HashingBetween`. Null where a hook has written an error by itself. */
  async #transaction(
    before: Outcome,
    work: (transaction: Transaction, outcome: Outcome) => Promise<Answer | null>,
    signal?: AbortSignal,
  ) {
    const { isolation, endpoint } = this.#compiled.plan;
    const forget = before.held?.mark();
    const options = { isolation, isRepeatable: true, kind: endpoint.id, ...(signal && { signal }) };
    let outcome = before;
    const attempt = async (transaction: Transaction) => {
      // Nothing of an attempt that was rolled back is part of the next one.
      if (outcome !== before) forget?.();
      outcome = { ...before };
      const answer = await work(transaction, outcome);
      if (outcome.held?.stray) throw outcome.held.stray;
      return answer;
    };
    for (;;) {
      try {
        const answer = await this.#database.transaction(attempt, options);
        this.#committed = this.#scope;
        return { answer, outcome };
      } catch (error) {
        if (error instanceof WrittenError) return null;
        if (!(error instanceof HashingDue)) throw error;
        await error.hash();
      }
    }
  }

  async #call(call: CallWork, at: number, outcome: Outcome, caller: Caller): Promise<unknown> {
    const context = this.#context(null, caller.account, { id: await this.#callId(at, caller) });
    try {
      const result = await (outcome.call as PreparedCall)(context);
      if (outcome.held?.stray) throw outcome.held.stray;
      return result ?? null;
    } catch (error) {
      await this.#handleFailure(call.onFailure, caller, error);
      throw error;
    } finally {
      // The waits before the call do not count behind it.
      this.#database = this.#newDatabase();
    }
  }

  /** Made of the whole request, so that a key that a client uses for another request is another one. */
  async #callId(at: number, { account }: Caller): Promise<string> {
    const { id, params } = this.#exchange;
    const key = this.#request.headers['idempotency-key'] ?? id;
    const sent = 'sent' in this.#received && (await textOfSent(this.#received));
    return uuidOf([this.#compiled.plan.endpoint.id, params, sent, account?.reads.id, key, at]);
  }

  /** The error of the call is the answer, unless an outage leaves it open what is stored. */
  async #handleFailure(work: TransactionWork, caller: Caller, cause: unknown): Promise<void> {
    if (work.actions.length === 0) return;
    const end = performance.now() + LONGEST_OUTAGE;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      let isDone = false;
      this.#database = this.#newDatabase();
      try {
        await this.#transaction(newOutcome(this.#exchange.held), async (on, outcome) => {
          isDone = false;
          const scope = await this.#scopeBehind(on, caller, work);
          await work.readAgain(scope);
          await runTransaction(work, scope, outcome);
          isDone = true;
          return null;
        });
        return;
      } catch (error) {
        const isPassing = isOutage(error);
        // Where COMMIT was sent and its answer was lost, a second try might do everything twice.
        if (!isPassing || isDone || performance.now() + pause > end) {
          this.#exchange.log.error({ err: error }, 'the `on failure` of a call failed');
          if (isPassing) throw new ApiError('unavailable', { detail: UNDONE, cause });
          return;
        }
        await sleep(pause);
      }
    }
  }

  /** What the parts before have left. Who may call was decided by then. */
  async #scopeBehind(transaction: Transaction, caller: Caller, work: TransactionWork): Promise<RequestScope> {
    const context = this.#context(transaction, caller.account);
    const { inputs, sent, identifiers, records } = this.#committed as RequestScope;
    const fresh = newScope(transaction, context, this.#clock, this.#request, this.#hashing);
    const scope = { ...fresh, inputs, sent, identifiers, records: { ...records }, isAuthorized: true };
    this.#scope = scope;
    if (!work.needsCaller || caller.account === null) return scope;
    const { plan, authenticator } = this.#compiled;
    const read = plan.locksCaller ? 'lock' : 'readAgain';
    const account = await authenticator[read](caller.account, scope);
    if (account === null) throw goneMeanwhile();
    scope.records['@auth'] = account.reads;
    return scope;
  }

  /** Runs the work in the transaction, or outside of one where it is null. */
  async on(
    transaction: Transaction | null,
    { account, refusal }: Caller,
    outcome = newOutcome(),
  ): Promise<Answer | null> {
    const { plan } = this.#compiled;
    const reads = transaction === null && plan.onReplica ? this.#reads() : null;
    const connection = transaction ?? (plan.onReplica === 'all' ? reads : null) ?? this.#database;
    const context = plan.usesHooks && transaction ? this.#context(transaction, account) : null;
    if (transaction) this.#hashing ??= new HashingBetween();
    const scope = newScope(connection, context, this.#clock, this.#request, transaction ? this.#hashing : null);
    if (reads && reads !== connection) scope.answersFrom = reads;
    const read = account && this.#callerNow(account, scope);
    const caller = read instanceof Promise ? await read : read;
    if (caller) scope.records['@auth'] = caller.reads;
    this.#scope = scope;
    return perform(this.#requestOf(scope, outcome), refusal);
  }

  #requestOf(scope: RequestScope, outcome: Outcome) {
    return { work: this.#compiled.work, exchange: this.#exchange, scope, received: this.#received, outcome };
  }

  /** Null where there are no replicas. */
  #reads(): DataConnection | null {
    const { replicas } = this.#application;
    if (replicas === undefined) return null;
    const sent = this.#request.headers[POSITION];
    // What cannot be read may be of a commit that no replica has.
    const position = sent === undefined || POSITIONS.test(String(sent)) ? sent?.toString() : ON_PRIMARY;
    const { stale } = this.#compiled.plan.endpoint;
    const needs = { position, stale: stale === undefined ? undefined : stale * 1000 };
    return replicas.reading(this.#database, needs);
  }

  /** The caller was read before the transaction; what the request decides by must be of the transaction. */
  #callerNow(account: Account, scope: RequestScope): Promise<Account | null> | Account {
    const { plan, authenticator } = this.#compiled;
    if (plan.locksCaller) return authenticator.lock(account, scope);
    return plan.rereadsCaller ? authenticator.readAgain(account, scope) : account;
  }

  #context(transaction: Transaction | null, account: Account | null, call?: HookContext['call']): HookContext {
    const { request, response, log, job } = this.#exchange;
    const databases = this.#hookDatabases as HookDatabases;
    const db = once(() => {
      if (transaction === null)
        throw new Error('the code of a `call` has no `db`, because it runs outside of a transaction');
      return databases(() => transaction.session(), log);
    });
    const context = {
      ...(job ? { job } : { request, response }),
      log,
      auth: account?.profile ?? null,
      settings: this.#application.settings,
      ...(call && { call }),
      get db() {
        return db();
      },
    };
    return context as HookContext;
  }

  async explained(error: unknown): Promise<unknown> {
    if (this.#isUndecided(error)) return this.#undecided(error);
    const isTooLong = error instanceof DatabaseError && error.kind === 'too-long';
    if (isTooLong) return this.#tooLongInputs() ?? error;
    const explained = await this.#explainedByChecks(error);
    return explained === error ? (this.#missingKeys(error) ?? error) : explained;
  }

  /** A key that does not exist, which an input has brought in a way that the checks do not see. Null where none has. */
  #missingKeys(error: unknown): ApiError | null {
    const isKey = error instanceof DatabaseError && error.kind === 'foreign-key';
    const model = isKey && this.#application.definition.models.find(({ table }) => table === error.table);
    if (!isKey || !model || error.key === null || this.#scope === null) return null;
    const inputs = keyInputs(this.#compiled.plan.endpoint, model, error.key.column);
    const paths = pathsOfValue(inputs, error.key.value, this.#scope);
    return paths.length > 0 ? invalid([...new Set(paths)].map(notFound)) : null;
  }

  /** The error for texts that are too long for an index; null where no input is too long. */
  #tooLongInputs(): ApiError | null {
    if (this.#scope === null) return null;
    const { endpoint } = this.#compiled.plan;
    const errors = tooLongForIndex(indexedInputs(endpoint, this.#application.definition), this.#scope);
    return errors.length > 0 ? invalid(errors) : null;
  }

  /** A value that decides who may call is out of range. */
  #isUndecided(error: unknown): boolean {
    const isOutOfRange = error instanceof DatabaseError && error.kind === 'out-of-range';
    return isOutOfRange && this.#compiled.plan.guards.readsCalculated && !this.#scope?.isAuthorized;
  }

  #undecided(error: unknown): ApiError {
    logUndecided(this.#exchange.log, error);
    // If there is no scope, the value is in the caller's own record.
    const { records } = this.#scope ?? {};
    return notAuthorized(records === undefined || (records['@auth'] ?? null) !== null);
  }

  /** A write that the database has refused by itself: the checks tell why, if it was for the inputs. */
  async #explainedByChecks(error: unknown): Promise<unknown> {
    const { plan, work } = this.#compiled;
    const scope = this.#scope;
    if (!mayBeInputs(error) || plan.checksFirst || work.databaseCheck === null || scope === null) return error;
    // The statement that writes has found the records by itself; the checks need them too.
    const within = { ...scope, connection: this.#database };
    if (plan.isFused) await work.lookup?.(within);
    const errors = await work.databaseCheck(within);
    return errors.length > 0 ? invalid(errors) : error;
  }
}

/** How long `on failure` is tried again, and the pauses between, in milliseconds. The last try takes its time beside it. */
const LONGEST_OUTAGE = 6000;
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1000;

const UNDONE = 'The request failed halfway. What it stored before may not be undone: the database cannot be used now.';

/** Finds the inputs that were sent with this value. If it was computed, all inputs count. */
function pathsOfValue(inputs: readonly KeyInput[], value: string, scope: RequestScope): readonly string[] {
  const found = inputs.flatMap(({ path }) => placesOf(path, (sent) => String(sent) === value, scope));
  return found.length > 0 ? found : inputs.filter(({ ofItems }) => !ofItems).map(({ path }) => path.join('.'));
}

/** The place of the input if its value is such a one, or of those items of a list that are. */
function placesOf(path: readonly string[], is: (value: unknown) => boolean, scope: RequestScope): readonly string[] {
  const sent = inputAt(scope, path);
  if (!Array.isArray(sent)) return is(sent) ? [path.join('.')] : [];
  return sent.flatMap((item, at) => (is(item) ? [placeOfItem(path, at)] : []));
}

/** The size in bytes that always fits. A text that can be compressed may be longer. */
const LONGEST_INDEXED = 2700;

function tooLongForIndex(paths: readonly (readonly string[])[], scope: RequestScope): readonly InputError[] {
  const isTooLong = (text: unknown) => typeof text === 'string' && Buffer.byteLength(text) > LONGEST_INDEXED;
  const message = `is too long for a field that is unique or has an index: ${LONGEST_INDEXED} bytes always fit`;
  const params = { max: LONGEST_INDEXED };
  const places = paths.flatMap((path) => placesOf(path, isTooLong, scope));
  return places.map((path) => ({ path, code: 'max-length', message, params }));
}

/** Whether the inputs may be the reason, which the checks can tell. */
function mayBeInputs(error: unknown): boolean {
  return error instanceof DatabaseError && (error.kind === 'unique' || error.kind === 'foreign-key');
}

const POSITIONS = /^[0-9a-f]{16}$/;

export interface Caller {
  readonly account: Account | null;
  /** The refusal of a bad token. A missing record is reported before it, because that does not depend on the token. */
  readonly refusal: ApiError | null;
}

export const ANONYMOUS: Caller = { account: null, refusal: null };

async function authenticated(authenticate: () => Promise<Account | null>): Promise<Caller> {
  try {
    return { account: await authenticate(), refusal: null };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthenticated') return { account: null, refusal: error };
    throw error;
  }
}

function newOutcome(held?: HeldResponse): Outcome {
  return { answer: null, selected: null, wasThere: false, call: null, held };
}
