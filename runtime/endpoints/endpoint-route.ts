/**
 * An endpoint as a route. It is compiled when its first request comes: with thousands of endpoints a server would
 * otherwise be long in starting.
 */

import { Buffer } from 'node:buffer';
import { pathPattern } from '../../compiler/definition/contract/routes.ts';
import type { Model } from '../../compiler/definition/definition.ts';
import type { Endpoint, Request, ServiceCall } from '../../compiler/definition/endpoint.ts';
import { changeKey, isLive, type LiveReads, liveReads } from '../../compiler/definition/live.ts';
import { modelsOfRecords } from '../../compiler/definition/lookup.ts';
import { once } from '../../compiler/definition/memo.ts';
import { requestValuesOf } from '../../compiler/definition/request-values.ts';
import { authenticatorOf } from '../auth/authenticator.ts';
import { digestOf } from '../auth/session-tokens.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { RequestValues, Scope } from '../expressions/scope.ts';
import { type EndpointPlan, planOf } from '../plan/endpoint-plan.ts';
import { usesHooks } from '../plan/mentions.ts';
import type { Prepared } from '../query/prepared.ts';
import { type Foundation, Statements } from '../query/statements.ts';
import type { Answer, Exchange, Route, WholeAnswer } from '../request/exchange.ts';
import { bodyOfForm } from '../request/form-body.ts';
import { isObject, placeOfInput, type Sent } from '../request/inputs.ts';
import { bodyUnder } from '../request/json-body.ts';
import { asksForEvents, type LiveReading, type LiveRequest, topicOf } from '../request/live-request.ts';
import { queryParameters } from '../request/query-string.ts';
import { messageId, verifySignature } from '../request/signatures.ts';
import { binderOf, textFromBound } from '../values/kinds.ts';
import type { SettingValues } from '../values/settings.ts';
import type { Value } from '../values/value.ts';
import { ANONYMOUS, type Application, Attempt, type Caller, type Compiled } from './attempt.ts';
import { callPreparation, compileEndpoint, environmentOf, modelHookCall } from './compile-endpoint.ts';
import { invalid, type Received } from './endpoint-work.ts';
import { type IgnoredKeys, ignoredKeys, takenParameters } from './ignored-keys.ts';

export interface EndpointRoute extends Route {
  /** All that its requests may send to the database. Compiles it. */
  statements(): readonly Prepared[];
  /** Present where the list is live. */
  readonly follow?: (exchange: Exchange) => LiveRequest;
}

export function endpointRoute(endpoint: Endpoint, application: Application): EndpointRoute {
  // A plain object: the endpoint of a large definition may be one that is only read now.
  const ready = once(() => compiledEndpoint({ ...endpoint }, application));
  const needsExpress = once(() => usesHooks(endpoint, application.definition));
  const requests = once(() => liveRequests(ready(), application));
  const follow = (exchange: Exchange) => requests()(exchange);
  return {
    pattern: pathPattern(endpoint.path),
    method: endpoint.method,
    path: endpoint.path,
    get needsExpress() {
      return needsExpress();
    },
    mayWrite: endpoint.actions.length > 0,
    statements: () => ready().statements.all,
    handle: (exchange) =>
      isLive(endpoint) && application.live && asksForEvents(exchange)
        ? application.live(follow(exchange), exchange)
        : answer(ready(), exchange, application),
    ...(isLive(endpoint) && { follow }),
  };
}

export function compiledEndpoint(endpoint: Endpoint, application: Application): Compiled {
  const { definition, outside } = application;
  const plan = planOf(endpoint, definition);
  const tools = endpointTools(plan.endpoint, application);
  const { statements } = tools;
  const authenticator = authenticatorOf({ definition, endpoint, needsProfile: plan.usesHooks, outside, statements });
  const receiving = application.ignored ? receiveAndTell(application.ignored) : receive;
  const receiver = endpoint.signed ? receiveSigned(endpoint.signed, application.settings) : receiving;
  return { plan, receive: receiver, work: compileEndpoint(plan, tools), authenticator, statements };
}

/** Statements evaluate expressions, and expressions call hooks that are given the results of statements. */
export function endpointTools(endpoint: Endpoint, application: Application) {
  const { definition, models, hooks, settings, catalogue, listLimit, files } = application;
  const place = { method: endpoint.method, route: pathPattern(endpoint.path) };
  const model = (name: string) => models.get(name) as Model;
  const records = modelsOfRecords(endpoint, definition);
  const environment = environmentOf(definition, hooks, settings, () => statements);
  const whole = {
    catalogue,
    environment,
    hookCall: (hook: Parameters<Foundation['hookCall']>[0]) => modelHookCall(hook, hooks, environment.enumValues),
    overflowed: (name: string) => application.overflowed({ ...place, model: name }),
  };
  const statements: Statements = new Statements(whole, (record) => model(records.get(record) as string));
  const prepare = (call: ServiceCall) => callPreparation(call, environment, hooks, () => statements);
  return { definition, model, environment, statements, prepare, listLimit, files };
}

// ── Requests ────────────────────────────────────────────────────────────────────────────────────────────────────────

async function answer(compiled: Compiled, exchange: Exchange, application: Application): Promise<Answer | null> {
  const { plan } = compiled;
  const receiving = compiled.receive(plan, exchange);
  const received = receiving instanceof Promise ? await receiving : receiving;
  const attempt = new Attempt(compiled, exchange, application, received);
  try {
    const asking = plan.endpoint.signed ? ANONYMOUS : attempt.caller();
    const caller = asking instanceof Promise ? await asking : asking;
    return await (plan.needsTransaction ? attempt.inTransaction(caller) : attempt.on(null, caller));
  } catch (error) {
    throw placed(await attempt.explained(error), plan.endpoint.request);
  } finally {
    if (plan.mayStoreJobs) application.storedJobs?.();
    if (plan.endpoint.method !== 'GET') application.changed?.();
  }
}

/** Puts the key of the inputs, if they are under one, in front of the places of their errors. */
function placed(error: unknown, request: Request): unknown {
  if (request.under === undefined || !(error instanceof ApiError) || error.errors.length === 0) return error;
  const errors = error.errors.map((each) => ({ ...each, path: placeOfInput(request, each.path) }));
  return new ApiError(error.code, {
    ...(error.detail !== null && { detail: error.detail }),
    errors,
    cause: error.cause,
  });
}

/** The body is read before a connection is taken: a slow client holds nothing that others need. */
function receive(plan: EndpointPlan, exchange: Exchange): Promise<Received> | Received {
  const { endpoint, usesHooks } = plan;
  const readsBody = endpoint.request.from !== 'query' && endpoint.request.inputs.length > 0;
  return usesHooks || readsBody ? receiveBody(plan, exchange, readsBody) : receiveQuery(plan, exchange);
}

async function receiveBody(plan: EndpointPlan, exchange: Exchange, readsBody: boolean): Promise<Received> {
  try {
    const form = plan.takesFiles ? await exchange.readForm() : null;
    if (form) {
      const { body, files } = bodyOfForm(form, plan.endpoint.request);
      return { ...sentIn(body, plan.endpoint.request), files };
    }
    if (plan.usesHooks) await exchange.offerBody();
    return readsBody ? sentIn(await exchange.readBody(), plan.endpoint.request) : receiveQuery(plan, exchange);
  } catch (refusal) {
    return { refusal };
  }
}

function sentIn(body: Sent, { under }: Request): Received {
  if (under === undefined) return { sent: body };
  const sent = bodyUnder(body, under);
  if (isObject(sent)) return { sent, body };
  return { refusal: invalid([{ path: '', code: 'wrong-type', message: 'must be an object', params: {} }]) };
}

function receiveQuery({ endpoint, repeatable }: EndpointPlan, exchange: Exchange): Received {
  if (endpoint.request.from !== 'query') return { sent: {} };
  try {
    return { sent: queryParameters(exchange.queryString, repeatable) };
  } catch (refusal) {
    return { refusal };
  }
}

/** A request that is not signed is refused before anything is looked up. Services send many keys that nothing takes. */
function receiveSigned(
  { by, secret }: NonNullable<Endpoint['signed']>,
  settings: SettingValues,
): (plan: EndpointPlan, exchange: Exchange) => Promise<Received> {
  return async ({ endpoint }, exchange) => {
    const { headers } = exchange.request;
    const body = await exchange.readVerified((bytes) => verifySignature(by, String(settings[secret]), headers, bytes));
    const key = digestOf(JSON.stringify([endpoint.id, messageId(by, headers, body)]));
    return { ...sentIn(body, endpoint.request), key };
  };
}

/** Hooks are given the whole body, so none of its keys is known to be ignored there. */
function receiveAndTell(tell: (ignored: IgnoredKeys) => void): Compiled['receive'] {
  return async (plan, exchange) => {
    const received = await receive(plan, exchange);
    const { method, path } = plan.endpoint;
    if (!('sent' in received) || plan.usesHooks) return received;
    const ignored = ignoredKeys(received.body ?? received.sent, plan.endpoint);
    if (ignored) tell({ method, route: pathPattern(path), ...ignored });
    return received;
  };
}

// ── Live lists ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Requests for live lists, as the endpoint answers them.

function liveRequests(compiled: Compiled, application: Application): (exchange: Exchange) => LiveRequest {
  const followed = followedBy(compiled.plan.endpoint, application);
  return (exchange) => liveRequest(compiled, exchange, application, followed);
}

function liveRequest(
  compiled: Compiled,
  exchange: Exchange,
  application: Application,
  followed: ReturnType<typeof followedBy>,
): LiveRequest {
  const { endpoint } = compiled.plan;
  const { headers } = exchange.request;
  return {
    hasToken: headers.authorization !== undefined,
    callerTables: followed.callerTables,
    async caller() {
      const received = await compiled.receive(compiled.plan, exchange);
      const request: RequestValues = { headers, claims: null };
      const attempt = () => new Attempt(compiled, exchange, application, received, request);
      const caller = await attempt().caller();
      return {
        key: keyOf(endpoint, exchange, caller, [followed.sentIn(received), followed.valuesOf(request)]),
        account: caller.account && followed.accountTopic(caller.account.reads.id as Value),
        read: () => readingOf(attempt(), compiled, caller, followed.topicsIn),
      };
    },
  };
}

/** The id of the caller counts only where the list reads it. */
function keyOf(endpoint: Endpoint, { params }: Exchange, caller: Caller, values: unknown): string {
  const { account, refusal } = caller;
  const reads = account && endpoint.authReads.map(({ name }) => account.reads[name]);
  return JSON.stringify([endpoint.id, params, reads, refusal?.detail, values]);
}

async function readingOf(
  attempt: Attempt,
  { plan }: Compiled,
  caller: Caller,
  topicsIn: (scope: Scope) => Promise<readonly string[]>,
): Promise<LiveReading> {
  try {
    const answer = await (plan.needsTransaction ? attempt.inTransaction(caller) : attempt.on(null, caller));
    return { body: await bytesOf(answer as Answer), topics: await topicsIn(attempt.scope as Scope) };
  } catch (error) {
    throw await attempt.explained(error);
  }
}

async function bytesOf({ body }: Answer): Promise<Buffer> {
  if (body === null || typeof body === 'string' || Buffer.isBuffer(body))
    return Buffer.from((body as WholeAnswer['body']) ?? '');
  const slices: Buffer[] = [];
  for (let slice = await body.next(); slice !== null; slice = await body.next()) slices.push(slice);
  return Buffer.concat(slices);
}

// ── What a list follows ─────────────────────────────────────────────────────────────────────────────────────────────

const NOTHING: LiveReads = { routes: [], whole: new Set(), ofCaller: new Set(), dependsOnCaller: false };

function followedBy(endpoint: Endpoint, { definition, models, hooks, settings }: Application) {
  const reads = isLive(endpoint) ? liveReads(endpoint, definition) : NOTHING;
  const environment = environmentOf(definition, hooks, settings, () => {
    throw new Error('the values of a live list read nothing');
  });
  const tableOf = (model: string) => String(models.get(model)?.table);
  const routes = reads.routes.map(({ model, field, value }) => {
    const column = String(models.get(model)?.fields.find(({ name }) => name === field)?.column);
    const bind = binderOf(value.type);
    const { run } = compileExpression(value, environment);
    return async (scope: Scope) => {
      const text = textFromBound(bind((await run(scope)) as Value));
      // Every row without a value would be such a key, so all of them are followed.
      return topicOf(tableOf(model), text === null ? '' : changeKey(column, text));
    };
  });
  const whole = [...reads.whole].map((model) => topicOf(tableOf(model)));
  const values = requestValuesOf(endpoint, definition);
  const parameters = takenParameters(endpoint);
  const auth = definition.auth && models.get(definition.auth.model);
  const idOfAccount = auth?.fields.find(({ name }) => name === 'id');
  return {
    callerTables: new Set([...reads.ofCaller].map(tableOf)),
    topicsIn: async (scope: Scope) => [...whole, ...(await Promise.all(routes.map((topic) => topic(scope))))],
    accountTopic: (id: Value) =>
      auth && idOfAccount
        ? topicOf(auth.table, changeKey(idOfAccount.column, String(textFromBound(binderOf(idOfAccount.type)(id)))))
        : null,
    /** What was sent, without what nothing takes: anybody could make any number of lists with it. */
    sentIn: (received: Received) =>
      'refusal' in received ? String(received.refusal) : parameters.map(({ name }) => received.sent[name]),
    /** The values of a request that decide, beside its inputs. */
    valuesOf: ({ headers, claims }: RequestValues) =>
      values.map(({ from, path: [name = ''] }) => (from === 'header' ? headers[name] : claims)),
  };
}
