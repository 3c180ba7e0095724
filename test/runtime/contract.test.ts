/**
 * The document against the API, both ways. Requests are made from the document alone: what its schemas allow is read, what
 * they forbid is refused, and every answer has a status that is listed and a body that fits.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import type pg from 'pg';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import type { Operation, Parameter, Schema } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import {
  bodySchemaOf,
  type ContractAnswer,
  ContractClient,
  type ContractRequest,
  parametersIn,
} from '../compiler/openapi/contract-client.ts';
import { ENVIRONMENT, fieldIn, seed, seededValue, tokenFor } from '../compiler/openapi/contract-data.ts';
import {
  EXAMPLES,
  everythingDefinition,
  exampleDefinition,
  exampleFolder,
  type Route,
  routesOf,
} from '../compiler/openapi/documents.ts';
import { forbiddenBy, forbiddenTexts, valuesOf } from '../compiler/openapi/schema-values.ts';
import { type Application, startApplication } from '../support/application.ts';
import { exampleHooks } from '../support/example-hooks.ts';
import { createDatabase } from '../support/postgres.ts';
import { describeInBoth, isSlow } from '../support/slow.ts';

describe('the contract', () => {
  for (const example of isSlow ? EXAMPLES : ['everything']) {
    describeInBoth(`of ${example}`, () => {
      let open: Live;
      let guarded: Live;

      before(async () => {
        await loadGrammar();
        const definition = example === 'everything' ? everythingDefinition() : exampleDefinition(example);
        const hooks = await exampleHooks(exampleFolder(example), definition);
        guarded = await startLive(definition, definition, hooks);
        open = await startLive(definition, withoutAuthorize(definition), hooks);
      });

      after(() => Promise.all([open.application.stop(), guarded.application.stop()]));

      it('answers the example of each request as described', async () => {
        const unanswered: string[] = [];
        for (const route of open.routes) {
          await seed(open.definition, open.client);
          const { status } = await open.contract.send(route, friendlyRequest(route, open));
          if (status >= 400) unanswered.push(`${route.operation.operationId} ${status}`);
        }
        expect(unanswered).to.deep.equal(UNANSWERED[example]);
      });

      it('reads what the schemas allow', async () => {
        for (const route of open.routes) {
          await seed(open.definition, open.client);
          for (const request of fc.sample(allowedRequests(route, open), { numRuns: isSlow ? 8 : 4, seed: 7 })) {
            expectRead(await open.contract.send(route, request), route, request, open);
          }
        }
      });

      it('refuses what the schemas forbid', async () => {
        await seed(open.definition, open.client);
        for (const route of open.routes) {
          // Not all at once: a server refuses more than it can answer soon.
          const requests = forbiddenRequests(route, open).values();
          const client = async () => {
            for (const { request, path } of requests)
              expectRefused(await open.contract.send(route, request), route, request, path);
          };
          await Promise.all([client(), client(), client()]);
        }
      });

      it('lets in whom the document lets in', async () => {
        await seed(guarded.definition, guarded.client);
        for (const route of guarded.routes) {
          const request = friendlyRequest(route, guarded);
          const anonymous = await guarded.contract.send(route, { ...request, token: null });
          const { operationId, security } = route.operation;
          const needsSomebody = security?.every((requirement) => 'bearer' in requirement) ?? false;
          if (operationId !== 'authLogin')
            expect([operationId, anonymous.status === 401]).to.deep.equal([operationId, needsSomebody]);
          await guarded.contract.send(route, { ...request, token: 'nobody.has.this' });
          await guarded.contract.send(route, request);
          await seed(guarded.definition, guarded.client);
        }
      });
    });
  }
});

// ── The application ─────────────────────────────────────────────────────────────────────────────────────────────────

interface Live {
  readonly definition: Definition;
  readonly application: Application;
  readonly client: pg.Client;
  readonly contract: ContractClient;
  readonly routes: readonly Route[];
  readonly token: string | null;
}

async function startLive(described: Definition, definition: Definition, hooks: HookModules): Promise<Live> {
  const { url, client } = await createDatabase();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  const application = await startApplication({ definition, databaseUrl: url, hooks, environment: ENVIRONMENT });
  const document = openApiFromDefinition(described, { title: 'test', version: '1' });
  const token = await tokenFor(definition);
  const contract = new ContractClient(application.url, document);
  return { definition: described, application, client, contract, routes: routesOf(document), token };
}

/** So that every request gets as far as it can. */
function withoutAuthorize(definition: Definition): Definition {
  return { ...definition, endpoints: definition.endpoints.map((endpoint) => ({ ...endpoint, authorize: [] })) };
}

// ── Requests ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The example of the document, in which what must exist exists. */
function friendlyRequest(route: Route, live: Live): ContractRequest {
  const example = route.operation.requestBody?.content['application/json']?.example;
  const body = example === undefined ? undefined : { ...example, ...foundValues(route, live) };
  const required = parametersIn(route.operation, 'query').filter((parameter) => parameter.required);
  const query = Object.fromEntries(required.map(({ name, example }) => [name, String(example)]));
  return { params: seededParams(route, live), query, body, token: live.token };
}

function endpointOf({ path, method }: Route, { definition }: Live): Endpoint | undefined {
  return definition.endpoints.find((endpoint) => {
    const segments = endpoint.path.map((each) => (each.kind === 'literal' ? each.text : `{${each.name}}`));
    return endpoint.method === method.toUpperCase() && `/${segments.join('/')}` === path;
  });
}

function seededParams(route: Route, live: Live): ContractRequest['params'] {
  const identifiers = endpointOf(route, live)?.records.flatMap(({ identify }) => (identify ? [identify] : [])) ?? [];
  const values = identifiers.map(({ parameter, model, field }) => {
    return [parameter, String(seededValue(fieldIn(live.definition, model, field), live.definition))] as const;
  });
  return Object.fromEntries(values);
}

/** Values of inputs that name records. */
function foundValues(route: Route, live: Live): Record<string, unknown> {
  const inputs = endpointOf(route, live)?.request.inputs ?? [];
  const finding = inputs.flatMap((input) =>
    input.kind === 'value' && input.finds ? [[input.name, input.finds] as const] : [],
  );
  return Object.fromEntries(
    finding.map(([name, { end, field }]) => [name, seededValue(fieldIn(live.definition, end, field), live.definition)]),
  );
}

function allowedRequests(route: Route, live: Live): fc.Arbitrary<ContractRequest> {
  const schema = bodySchemaOf(route.operation);
  const { judge, resolve } = live.contract;
  const body = schema === undefined ? fc.constant(undefined) : valuesOf(schema, resolve, judge);
  const seeded: fc.Arbitrary<Texts> = fc.constant(seededParams(route, live));
  const others = textsOf(parametersIn(route.operation, 'path'), live);
  const params = fc.oneof({ arbitrary: seeded, weight: 4 }, { arbitrary: others, weight: 1 });
  const query = queriesOf(route.operation, live);
  return fc.tuple(params, query, body, fc.boolean()).map(([params, query, body, isFriendly]) => ({
    params,
    query,
    body: isFriendly && body !== undefined ? { ...(body as object), ...foundValues(route, live) } : body,
    token: live.token,
  }));
}

/** A cursor is made by the server: no schema can say which texts are one. */
function isDescribed({ schema }: Parameter): boolean {
  return schema.format !== 'cursor';
}

type Texts = Readonly<Record<string, string>>;

function textsOf(parameters: readonly Parameter[], { contract: { resolve, judge } }: Live): fc.Arbitrary<Texts> {
  const texts = parameters.map(({ name, schema }) => {
    return [name, valuesOf(schema, resolve, judge).map(String).filter(isSegment)] as const;
  });
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(Object.fromEntries(texts), { requiredKeys }) as fc.Arbitrary<Texts>;
}

function queriesOf(operation: Operation, live: Live): fc.Arbitrary<ContractRequest['query']> {
  const { resolve, judge } = live.contract;
  const parameters = parametersIn(operation, 'query').filter(isDescribed);
  const filters = parameters.filter(({ style }) => style === 'deepObject');
  const values = filters.map(({ name, schema }) => [name, valuesOf(schema, resolve, judge)] as const);
  const sent = fc.record(Object.fromEntries(values), { requiredKeys: [] }).map((each) => {
    return Object.fromEntries(Object.entries(each).flatMap(([name, value]) => filterTexts(name, value)));
  });
  const others = textsOf(
    parameters.filter((parameter) => !filters.includes(parameter)),
    live,
  );
  const plain = others.filter(({ sort = '' }) => !namesKeyTwice(sort));
  return fc.tuple(plain, sent).map(([texts, filtered]) => ({ ...texts, ...filtered }));
}

/** `price=1&price=2` for a list, `price[gte]=1` for an object. */
function filterTexts(name: string, value: unknown): readonly (readonly [string, string | readonly string[]])[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : [[name, value.map(String)]];
  if (typeof value !== 'object' || value === null) return [[name, String(value)]];
  return Object.entries(value).flatMap(([operator, operand]) => filterTexts(`${name}[${operator}]`, operand));
}

/** Up and down: the schema cannot forbid it. */
function namesKeyTwice(sort: string): boolean {
  const keys = sort.split(',').map((key) => key.replace(/^-/, ''));
  return new Set(keys).size < keys.length;
}

/** Clients take away dots, and a literal segment is another route. */
function isSegment(text: string): boolean {
  return !/^\.+$/.test(text);
}

interface Forbidden {
  readonly request: ContractRequest;
  /** What an invalid input is called; null where the whole request is malformed. */
  readonly path: string | null;
}

function forbiddenRequests(route: Route, live: Live): readonly Forbidden[] {
  const request = friendlyRequest(route, live);
  return [...forbiddenBodies(route, request, live), ...forbiddenParameters(route, request, live)];
}

function forbiddenBodies(route: Route, request: ContractRequest, { contract }: Live): readonly Forbidden[] {
  const ref = bodySchemaOf(route.operation)?.$ref;
  if (ref === undefined) return [];
  const { properties = {}, required = [] } = contract.resolve(ref);
  const sent = request.body as Readonly<Record<string, unknown>>;
  const missing = required.map((path) => ({ path, request: { ...request, body: { ...sent, [path]: undefined } } }));
  const wrong = Object.entries(properties).flatMap(([path, schema]) =>
    forbiddenBy(schema, contract.judge).map((value) => ({
      path,
      request: { ...request, body: { ...sent, [path]: value } },
    })),
  );
  const noObjects = ['[]', '"x"', 'null', '1', '{', '{"a":}'].map((text) => ({
    path: null,
    request: { ...request, text },
  }));
  return [...missing, ...wrong, ...noObjects];
}

function forbiddenParameters({ operation }: Route, request: ContractRequest, { contract }: Live): readonly Forbidden[] {
  const texts = (schema = {}) => forbiddenTexts(schema, contract.judge, contract.resolve);
  const query = parametersIn(operation, 'query').flatMap(({ name, schema }) =>
    texts(schema).map((text) => ({
      path: null,
      request: { ...request, query: { ...request.query, [name]: text } },
    })),
  );
  const path = parametersIn(operation, 'path').flatMap(({ name, schema }) =>
    texts(schema)
      .filter((text) => text !== '')
      .map((text) => ({ path: null, request: { ...request, params: { ...request.params, [name]: text } } })),
  );
  return [...query, ...path];
}

// ── What is expected ────────────────────────────────────────────────────────────────────────────────────────────────

const MALFORMED = [400, 413, 415, 500, 503];

/** Only rules that no schema can say are broken. */
function expectRead(answer: ContractAnswer, route: Route, request: ContractRequest, live: Live): void {
  const told = `${route.operation.operationId} ${JSON.stringify(request)} → ${JSON.stringify(answer.body)}`;
  expect(MALFORMED, told).to.not.include(answer.status);
  if (answer.status !== 422) return;
  const codes = errorsOf(answer).map(({ path, code }) => `${path} ${code}`);
  expect(
    codes.filter((code) => !isUnsayable(code, route, live)),
    told,
  ).to.deep.equal([]);
}

function errorsOf({ body }: ContractAnswer): readonly { readonly path: string; readonly code: string }[] {
  return (body as { readonly errors?: readonly { path: string; code: string }[] }).errors ?? [];
}

const OF_THE_DATA = ['reference-not-found', 'already-exists', 'out-of-range', 'file-missing'];

/** What keywords cannot say is said in words. */
function isUnsayable(error: string, route: Route, live: Live): boolean {
  const [path = '', code = ''] = error.split(' ');
  const isOfAction = endpointOf(route, live)?.actions.some(
    (action) =>
      (action.kind === 'validate' && action.key === path) || (action.kind === 'refuse' && action.code === code),
  );
  const parameter = parametersIn(route.operation, 'query').find(({ name }) => name === path);
  const words = (parameter ?? schemaAt(path, bodySchemaOf(route.operation), live))?.description ?? '';
  return OF_THE_DATA.includes(code) || isOfAction === true || /Must |Before it is checked/.test(words);
}

/** `lines[2].quantity` is a property of the items of a property. */
function schemaAt(path: string, whole: Schema | undefined, { contract: { resolve } }: Live): Schema | undefined {
  const steps = path.split(/\.|(?=\[)/);
  return steps.reduce<Schema | undefined>((schema, step) => {
    const { items, properties } = schema?.$ref === undefined ? (schema ?? {}) : resolve(schema.$ref);
    return step.startsWith('[') ? items : properties?.[step];
  }, whole);
}

function expectRefused(answer: ContractAnswer, route: Route, request: ContractRequest, path: string | null): void {
  const told = `${route.operation.operationId} ${JSON.stringify(request)} ${path} → ${answer.status} ${JSON.stringify(answer.body)}`;
  if (path === null) expect([400, 422], told).to.include(answer.status);
  else
    expect([answer.status, errorsOf(answer).some((error) => isWithin(error.path, path))], told).to.deep.equal([
      422,
      true,
    ]);
}

function isWithin(inner: string, path: string): boolean {
  return inner === path || inner.startsWith(`${path}.`) || inner.startsWith(`${path}[`);
}

/** What the data of the test do not allow. */
const UNANSWERED: Readonly<Record<string, readonly string[]>> = {
  everything: ['parcelGone 404', 'parcelRefuse 418'],
  blog: ['postGetCover 404'],
  bookings: ['authLogin 401', 'bookingsTime 422', 'meManager 422', 'roomsBookingsCreate 422'],
  helpdesk: [
    'agentsCreate 422',
    'authLogin 401',
    'organisationsMembershipsCreate 422',
    'organisationsTicketsAssign 404',
    'organisationsTicketsClose 422',
    'organisationsTicketsRatingCreate 409',
  ],
  projects: [
    'authLogin 401',
    'teamsMembersCreate 422',
    'teamsMembersDelete 409',
    'teamsProjectsTasksMove 422',
    'teamsProjectsTasksLabels 422',
    'teamsTrashDelete 404',
    'teamsTrashRestore 404',
  ],
  shop: [
    'backofficeOrdersSettle 409',
    'backofficeOrdersShip 409',
    'backofficeProductsDelete 409',
    'storeOrdersCreate 422',
    'storeOrdersDelete 409',
    'storeOrdersLinesCreate 422',
    'storeOrdersPlace 409',
    'storeProductsReviewsCreate 409',
  ],
};
