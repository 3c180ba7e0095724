/** Requests for live lists, as the endpoint answers them. */
import { Buffer } from 'node:buffer';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { changeKey, isLive, type LiveReads, liveReads } from '../../compiler/definition/live.ts';
import { requestValuesOf } from '../../compiler/definition/request-values.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { RequestValues, Scope } from '../expressions/scope.ts';
import type { Answer, Exchange, WholeAnswer } from '../request/exchange.ts';
import { type LiveReading, type LiveRequest, topicOf } from '../request/live-request.ts';
import { binderOf, textFromBound } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { type Application, Attempt, type Caller, type Compiled } from './attempt.ts';
import { environmentOf } from './compile-endpoint.ts';
import type { Received } from './endpoint-work.ts';
import { takenParameters } from './ignored-keys.ts';

export function liveRequests(compiled: Compiled, application: Application): (exchange: Exchange) => LiveRequest {
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
