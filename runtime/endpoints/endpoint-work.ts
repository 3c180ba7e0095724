/**
 * One endpoint, compiled: what is done for each request, in the order of the contract. Route and body come before;
 * then what of authorize needs no record (401, 403), the records of the path (404, unless the rules of an outer record
 * refuse the caller), the rest of authorize, the inputs (400, 422), the actions, the answer.
 */
import { ApiError, type InputError } from '../errors/api-error.ts';
import type { Compiled } from '../expressions/compiled.ts';
import { OutOfRange } from '../expressions/out-of-range.ts';
import type { EndpointPlan } from '../plan/endpoint-plan.ts';
import type { DatabaseCheck } from '../query/checks.ts';
import type { Bound } from '../query/database.ts';
import type { Found, Lookup } from '../query/lookup.ts';
import type { Answer, Exchange } from '../request/exchange.ts';
import type { FormFiles } from '../request/form-body.ts';
import { type InputCheck, type Sent, UNREADABLE } from '../request/inputs.ts';
import { type Handled, missingRecord, type RequestScope, type WriteAnswer } from './action-tools.ts';
import type { TakeFiles } from './files.ts';
import { type PartWork, runTransaction } from './parts.ts';
import { isAsked } from './write-actions.ts';

export interface EndpointWork {
  readonly plan: EndpointPlan;
  /** Stores the key of a signed request; false where it was done before. Waits for another one that does it now. */
  readonly remember: ((scope: RequestScope, key: Bound) => Promise<boolean>) | null;
  readonly lookup: Lookup | null;
  /** What a rule is about is locked before it is read. */
  readonly lockFirst: LockFirst | null;
  /** Locks what the actions change beyond the records of the path. */
  readonly lockFurther: ((scope: RequestScope) => Promise<void>) | null;
  /** Turns the texts of the path into the values that the lookup binds. */
  readonly identify: (params: readonly string[]) => RequestScope['identifiers'];
  /** The conditions that need none of the records, and are checked before the lookup. */
  readonly authorizeFirst: readonly Compiled[];
  readonly authorize: readonly Compiled[];
  /** Whether it depends on the caller which records are found, or whether they are looked for. */
  readonly asksCaller: boolean;
  /** The conditions on the outer records where an inner one is missing, from the outside in. */
  readonly outer: readonly { readonly lookup: Lookup; readonly authorize: readonly Compiled[] }[];
  /** Refuses what was meant for another version of the record. */
  readonly precondition: ((exchange: Exchange, scope: RequestScope) => Promise<void>) | null;
  readonly inputs: InputCheck;
  readonly databaseCheck: DatabaseCheck | null;
  /** Hashes of passwords that depend on nothing but the inputs. */
  readonly hashes: readonly Compiled[];
  /** At least one. */
  readonly parts: readonly [PartWork, ...PartWork[]];
  readonly answer: WriteAnswer;
  readonly takeFiles: TakeFiles | null;
}

/**
 * The input of the client. `body` is the whole body, where that is more, `key` what is remembered of a signed request, and
 * `files` those of a form.
 */
interface Readable {
  readonly sent: Sent;
  readonly body?: Sent;
  readonly key?: Bound;
  readonly files?: FormFiles;
}

/** The input of the client, or the reason why it cannot be read. */
export type Received = Readable | { readonly refusal: unknown };

/** The answer to a request that was done before. */
const REPEATED: Answer = { status: 200, headers: null, body: null };

/** A request that the endpoint works on. */
interface EndpointRequest extends Handled {
  readonly work: EndpointWork;
  readonly received: Received;
}

export async function perform(request: EndpointRequest, badToken: ApiError | null): Promise<Answer | null> {
  const { work, exchange, scope, received } = request;
  const isRepeated = work.remember && 'key' in received && !(await work.remember(scope, received.key as Bound));
  if (isRepeated) return REPEATED;
  scope.identifiers = work.identify(exchange.params);
  const isShort = work.plan.isFused && badToken === null && 'sent' in received;
  if (isShort && (await isFine(request, received.sent))) return act(request, received, null);
  // A caller who must be signed in learns that the token is bad before anything about the records.
  if (work.asksCaller && badToken) throw badToken;
  if (work.authorizeFirst.length > 0) await authorize(work.authorizeFirst, request);
  const find = work.lockFirst || work.lockFurther ? findAndLock : findRecords;
  const found = work.lookup === null ? null : await find(request, work.lookup);
  if (badToken) throw badToken;
  if (work.authorize.length > 0) await authorize(work.authorize, request);
  scope.isAuthorized = true;
  if (scope.answersFrom) scope.connection = scope.answersFrom;
  if (work.precondition) await work.precondition(exchange, scope);
  if ('refusal' in received) throw received.refusal;
  const checking = work.inputs(received.sent, scope, exchange.params);
  const errors = checking instanceof Promise ? await checking : checking;
  // A value that is taken takes no less time than one that is free.
  if (errors.length === 0 && work.plan.checksFirst && scope.hashing) await hashFirst(work, scope);
  if (errors.length > 0 || work.plan.checksFirst) await refuseWrong(work, errors, scope);
  return act(request, received, found);
}

function act(request: EndpointRequest, { sent, files }: Readable, found: Found | null): Promise<Answer | null> {
  const { work, exchange, scope, outcome } = request;
  const [first] = work.parts;
  const { takeFiles } = work;
  // Not by a spread with further members, for which V8 makes a hidden class at each request.
  const answer = () => work.answer({ exchange, scope, outcome, found, sent });
  if (!scope.hashing && first.actions.length === 0) return answer();
  const hashed = scope.hashing ? hashFirst(work, scope) : Promise.resolve();
  const taken = takeFiles ? hashed.then(() => takeFiles(scope, exchange, files)) : hashed;
  return taken.then(() => runPart(first, request, answer));
}

/** Before anything is written: a transaction ends here if there is something to hash, see `HashingBetween`. */
async function hashFirst({ hashes }: EndpointWork, scope: RequestScope): Promise<void> {
  for (const { run } of hashes) await run(scope);
}

/** The last part is answered. One that ends in a call gives the call. */
async function runPart(part: PartWork, { scope, outcome }: Handled, answer: () => Promise<Answer | null>) {
  await runTransaction(part, scope, outcome);
  outcome.call = part.call && (await part.call.prepare(scope));
  return part.call ? null : answer();
}

/** A part behind a call: who calls, and what, has been checked by then. The version may have changed since. */
export async function performNext(request: EndpointRequest, part: PartWork): Promise<Answer | null> {
  const { work, exchange, scope, outcome } = request;
  await part.readAgain(scope);
  if (part.changesFirst) await work.precondition?.(exchange, scope);
  const { sent } = request.received as Readable;
  return runPart(part, request, () => work.answer({ exchange, scope, outcome, found: null, sent }));
}

/**
 * Whether the inputs are valid and there is something to write. A statement that finds its records by itself runs after
 * this check. Only if the check fails must it be known whether the records exist, because a missing record is reported
 * instead.
 */
async function isFine({ work, exchange, scope }: EndpointRequest, sent: Sent): Promise<boolean> {
  const isRight = (await work.inputs(sent, scope, exchange.params)).length === 0;
  const [action] = work.plan.endpoint.actions;
  return isRight && (action?.kind !== 'update' || isAsked(action, scope));
}

async function findRecords(request: EndpointRequest, lookup: Lookup): Promise<Found> {
  const found = await lookup(request.scope);
  if (found === null) throw await missing(request);
  return found;
}

async function findAndLock(request: EndpointRequest, lookup: Lookup): Promise<Found> {
  const { work, scope } = request;
  const find = (by: Lookup) => findRecords(request, by);
  const found = await (work.lockFirst ? findLocked(work.lockFirst, lookup, find, scope) : find(lookup));
  if (work.lockFurther === null) return found;
  await work.lockFurther(scope);
  return find(lookup);
}

interface LockFirst {
  /** Locks nothing. */
  readonly lookup: Lookup;
  /** What is to be locked, for the records as they were found. */
  readonly ids: (scope: RequestScope) => Promise<string>;
  readonly lock: (scope: RequestScope) => Promise<void>;
}

/** Until a lock is had, the path may come to name another record. */
async function findLocked(
  { lookup: first, ids, lock }: LockFirst,
  lookup: Lookup,
  find: (by: Lookup) => Promise<Found>,
  scope: RequestScope,
): Promise<Found> {
  await find(first);
  for (;;) {
    const locked = await ids(scope);
    await lock(scope);
    const found = await find(lookup);
    if ((await ids(scope)) === locked) return found;
  }
}

/**
 * Chooses the error for a missing record. A caller who may not see the outer record gets the same answer whether or not
 * the inner one exists.
 */
async function missing(request: EndpointRequest): Promise<ApiError> {
  const { work, scope } = request;
  for (const outer of work.outer) {
    if ((await outer.lookup(scope)) === null) break;
    await authorize(outer.authorize, request);
  }
  return new ApiError('not-found', { detail: missingRecord(work.plan.endpoint) });
}

async function authorize(conditions: readonly Compiled[], { exchange, scope }: EndpointRequest): Promise<void> {
  for (const { isAsync, run } of conditions) {
    try {
      const holds = isAsync ? await run(scope) : run(scope);
      if (holds === true) continue;
    } catch (error) {
      // A condition that cannot be decided does not hold: the client has sent nothing that it could correct.
      if (!(error instanceof OutOfRange)) throw error;
      // The log is only used here: a logger for each request is costly.
      logUndecided(exchange.log, error);
    }
    throw notAuthorized((scope.records['@auth'] ?? null) !== null);
  }
}

export function notAuthorized(isSomebody: boolean): ApiError {
  return new ApiError(isSomebody ? 'forbidden' : 'unauthenticated');
}

export function logUndecided(log: Exchange['log'], error: unknown): void {
  log.warn({ err: error }, 'a value in `authorize` is out of range; the request was rejected');
}

/** The database is asked as well, so that all that is wrong is told at once. */
async function refuseWrong(work: EndpointWork, errors: readonly InputError[], scope: RequestScope): Promise<void> {
  const isQuery = work.plan.endpoint.request.from === 'query';
  if (isQuery && errors.some(({ code }) => UNREADABLE.has(code))) throw badParameters(errors);
  const more = (await work.databaseCheck?.(scope)) ?? [];
  if (errors.length > 0 || more.length > 0) throw invalid([...errors, ...more]);
}

function badParameters(errors: readonly InputError[]): ApiError {
  const [first] = errors as readonly [InputError];
  return new ApiError('malformed-request', {
    detail: `The query parameter \`${first.path}\` ${first.message}.`,
    errors,
  });
}

export function invalid(errors: readonly InputError[]): ApiError {
  return new ApiError('validation-failed', { errors });
}
