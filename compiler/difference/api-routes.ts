/**
 * The routes of a definition as its callers see them, those of accounts included. The responses are taken from the
 * OpenAPI document, which describes what the server does. Every schema is written out in place; enums and shapes are
 * written with their names.
 */
import { accountRoutes, type PasswordAuth, passwordAuthOf } from '../definition/accounts.ts';
import { ACCOUNT_METHODS, type AccountRoute, accountPath } from '../definition/contract/routes.ts';
import type { Definition } from '../definition/definition.ts';
import { type Endpoint, PLAIN_ENDPOINT, type ValueInput } from '../definition/endpoint.ts';
import { memoized } from '../definition/memo.ts';
import { webhookEndpoint } from '../definition/work.ts';
import { answersOf } from '../emit/openapi/answers.ts';
import { type ComponentSchemas, pageSchema } from '../emit/openapi/components.ts';
import type { Responses, Schema, SecurityRequirement } from '../emit/openapi/document.ts';
import { bodySchema } from '../emit/openapi/inputs.ts';
import { camelCase, groupedEndpoints, Names } from '../emit/openapi/names.ts';
import { responsesOf, securityOf } from '../emit/openapi/operations.ts';
import { refusalsOf } from '../emit/openapi/refusals.ts';
import { objectSchema, type Selecting, type Shape, shapeSchema } from '../emit/openapi/selection-schemas.ts';
import { sessionOperations, sessionSchemas } from '../emit/openapi/sessions.ts';

export interface Route {
  readonly endpoint: Endpoint;
  readonly definition: Definition;
  /** The id that names the functions of generated clients. */
  readonly operationId: string;
  /** The contract, computed only for endpoints that may have changed. */
  readonly contract: () => Contract;
}

export interface Contract {
  readonly responses: Responses;
  readonly security: readonly SecurityRequirement[] | undefined;
}

/** Memoized, because after an edit the previous definition has been compared before. */
export const routesOf = memoized((definition: Definition): readonly Route[] => {
  const components = writtenOut(definition);
  const ids = new Names();
  const operationId = (endpoint: Endpoint) => ids.claim(camelCase(endpoint.id));
  const sessions = sessionRoutes(definition, components);
  const claimed = sessions.map((route) => ({ ...route, operationId: operationId(route.endpoint) }));
  const endpoints = groupedEndpoints(definition);
  const own = endpoints.map((endpoint) => ({
    endpoint,
    definition,
    operationId: operationId(endpoint),
    contract: () => contractOf(endpoint, components),
  }));
  return [...own, ...claimed];
});

/** The webhooks, whose bodies are compared like responses. */
export function webhookRoutes(definition: Definition): readonly Route[] {
  const components = writtenOut(definition);
  return (definition.webhooks ?? []).map((webhook) => {
    const endpoint = webhookEndpoint(webhook);
    return { endpoint, definition, operationId: webhook.name, contract: () => contractOf(endpoint, components) };
  });
}

function contractOf(endpoint: Endpoint, components: ComponentSchemas): Contract {
  const { definition } = components;
  return {
    responses: responsesOf(answersOf(endpoint, components), refusalsOf(endpoint, definition)),
    security: securityOf(endpoint, definition),
  };
}

function writtenOut(definition: Definition): ComponentSchemas {
  const enumRef = (name: string) => ({ $ref: name });
  const named = (shape: Shape): Schema | null =>
    shape.shape === undefined ? null : { $ref: shape.shape, ...objectSchema(shape, selecting) };
  const selecting: Selecting = { definition, enumRef, usualRef: named, shapeRef: named };
  const schemas = sessionSchemas(definition);
  return {
    ...selecting,
    schemas,
    schemaRef: (name) => schemas.get(name) ?? {},
    resolve: () => ({}),
    withoutExamples: true,
    inputRef: ({ request }) => bodySchema(request, selecting),
    pageRef: (shape, page) => pageSchema(shapeSchema(shape, selecting), page),
  };
}

// ── Sessions ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The routes of accounts that are no endpoints of the definition, but look like any other to callers. */
function sessionRoutes(definition: Definition, components: ComponentSchemas): readonly Omit<Route, 'operationId'>[] {
  const auth = passwordAuthOf(definition);
  if (auth === null) return [];
  const operations = sessionOperations(components, 'auth', (id) => id);
  const routes = accountRoutes(auth, definition).map(({ name, inputs }) => sessionEndpoint(auth, name, inputs));
  return routes.flatMap((endpoint) => {
    const found = operations.find(({ operation }) => operation.operationId === endpoint.id)?.operation;
    return found === undefined ? [] : [{ endpoint, definition, contract: () => ({ security: undefined, ...found }) }];
  });
}

function sessionEndpoint({ model }: PasswordAuth, name: AccountRoute, inputs: readonly ValueInput[]): Endpoint {
  return {
    ...PLAIN_ENDPOINT,
    id: `auth.${name}`,
    method: ACCOUNT_METHODS[name],
    path: accountPath(name),
    model,
    request: { from: 'body', inputs },
    response: { kind: 'action' },
  };
}
