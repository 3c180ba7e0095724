/**
 * The OpenAPI document of an application: definition in, plain data out, the same for the same definition. It describes
 * the runtime: a request that its schema allows is read, one that it forbids is refused, and every response fits one
 * that is listed. The routes for operators of the server are not part of it.
 */
import { createHash } from 'node:crypto';
import { NOT_VERIFIED } from '../../definition/accounts.ts';
import { pathTemplate } from '../../definition/contract/routes.ts';
import type { Definition } from '../../definition/definition.ts';
import { compare } from '../../definition/lookup.ts';
import { type ComponentSchemas, componentSchemas } from './components.ts';
import {
  type Components,
  type License,
  type Method,
  type OpenApiDocument,
  type Operation,
  type PathItem,
  refsFrom,
  type Tag,
} from './document.ts';
import { camelCase, type Group, groupsOf, Names } from './names.ts';
import { operationOf, securitySchemes } from './operations.ts';
import { HEADERS, problemSchemas, REFUSALS, type Refusal, refusalFacts } from './problems.ts';
import { refusalsOf, refusesIn, runsCode } from './refusals.ts';
import { sessionOperations, sessionRefusals, sessionSchemas } from './sessions.ts';
import { webhooksOf } from './webhooks.ts';

interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  /** The path that a proxy adds in front, such as `/shop`. */
  readonly basePath?: string;
  readonly license?: License;
}

export function openApiFromDefinition(definition: Definition, options: OpenApiOptions): OpenApiDocument {
  const { title, version, basePath = '/', license = NOT_STATED } = options;
  const groups = groupsOf(definition);
  const hasCode = definition.endpoints.some((endpoint) => runsCode(endpoint, definition));
  const refused = new Set(definition.endpoints.flatMap(refusesIn).map(({ code }) => code));
  if (definition.auth?.password?.verify) refused.add(NOT_VERIFIED.code);
  const fixed = new Map([...problemSchemas(hasCode, [...refused].sort()), ...sessionSchemas(definition)]);
  const schemas = componentSchemas(definition, groups, fixed);
  const paths = pathsFrom(routesOf(groups, schemas));
  const webhooks = webhooksOf(schemas);
  const components = onlyUsed(componentsOf(schemas), { paths, webhooks });
  return {
    openapi: '3.1.0',
    'x-kiln-contract': contractOf({ paths, components, ...webhooks }),
    info: { title, version, description: ABOUT, license },
    servers: [{ url: basePath }],
    security: [],
    tags: tagsOf(groups),
    paths,
    ...webhooks,
    components,
  };
}

/** The licence if the author has stated none: linters require one, and Kiln cannot decide it. */
const NOT_STATED: License = { name: 'Not stated', identifier: 'LicenseRef-not-stated' };

const ABOUT = `Requests and responses are JSON. Errors follow RFC 9457 and have a stable \`code\`.

- Keys and query parameters that are not described are ignored. A query parameter may be given once.
- Strings must not contain U+0000 or half of a surrogate pair.
- Decimals are strings, so that no digit is lost. A calculated value that is out of range is null.
- Timestamps are RFC 3339 with a capital \`T\` and a capital \`Z\` or an offset of at most 15:59; dates and timestamps have years from 0001 to 9999. Responses use UTC.
- JSON may be nested at most 100 levels deep.`;

function tagsOf(groups: readonly Group[]): readonly Tag[] {
  const tags = new Map(groups.map(({ id, description }) => [id, { name: id, description }]));
  return [...tags.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function componentsOf({ schemas, definition }: ComponentSchemas): Components {
  const refusals = definition.endpoints.flatMap((endpoint) => refusalsOf(endpoint, definition)).sort();
  const names = new Set<Refusal>([
    ...(Object.keys(REFUSALS) as Refusal[]),
    ...refusals,
    ...sessionRefusals(definition),
  ]);
  const schemes = securitySchemes(definition);
  const byName = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    schemas: Object.fromEntries(byName),
    responses: Object.fromEntries([...names].map((name) => [name, refusalFacts(name).response])),
    headers: HEADERS,
    ...(schemes === undefined ? {} : { securitySchemes: schemes }),
  };
}

// ── Paths ───────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Route {
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
}

/** The endpoints of the source have the first choice of operation ids. */
function routesOf(groups: readonly Group[], components: ComponentSchemas): readonly Route[] {
  const ids = new Names();
  const operationId = (id: string) => ids.claim(camelCase(id));
  const endpoints = groups.flatMap((group) => group.endpoints.map((endpoint) => ({ group, endpoint })));
  const sessions = sessionOperations(components, 'auth', operationId);
  return [
    ...endpoints.map(({ group, endpoint }) => ({
      path: pathTemplate(endpoint.path),
      method: endpoint.method.toLowerCase() as Method,
      operation: operationOf(endpoint, group, operationId(endpoint.id), components),
    })),
    ...sessions.map(({ path, operation }) => ({ path: pathTemplate(path), method: 'post' as const, operation })),
  ];
}

const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

/** The paths, sorted, and for each path sorted by method. */
function pathsFrom(routes: readonly Route[]): Readonly<Record<string, PathItem>> {
  const sorted = [...routes].sort(
    (a, b) => compare(a.path, b.path) || METHODS.indexOf(a.method) - METHODS.indexOf(b.method),
  );
  const paths: Record<string, PathItem> = {};
  for (const { path, method, operation } of sorted) paths[path] = { ...paths[path], [method]: operation };
  return paths;
}

// ── Contract ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The fingerprint of what an API takes and gives. Descriptions do not count: a release that only explains itself better
// still fits the clients of the previous release.

type Contract = Pick<OpenApiDocument, 'paths' | 'components' | 'webhooks'>;

export function contractOf({ paths, components, webhooks }: Contract): string {
  return createHash('sha256')
    .update(JSON.stringify([paths, components, ...(webhooks ? [webhooks] : [])], withoutWords))
    .digest('hex')
    .slice(0, 16);
}

/** Fields of the author may have these names too, but their value is a schema. */
const WORDS: ReadonlySet<string> = new Set(['summary', 'description', 'title']);

function withoutWords(this: object, key: string, value: unknown): unknown {
  const isExample = key === 'example' && 'schema' in this;
  return isExample || (typeof value === 'string' && WORDS.has(key)) ? undefined : value;
}

// ── Used components ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The components that the paths lead to, whether at once or through others. */
function onlyUsed(components: Components, roots: unknown): Components {
  const sections: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { ...components };
  const used = refsFrom(roots, (ref) => {
    const [section = '', name = ''] = ref.slice('#/components/'.length).split('/');
    return sections[section]?.[name];
  });
  return {
    ...components,
    schemas: kept(components.schemas, 'schemas', used),
    responses: kept(components.responses, 'responses', used),
    headers: kept(components.headers, 'headers', used),
  };
}

function kept<T>(section: Readonly<Record<string, T>>, name: string, used: ReadonlySet<string>): Record<string, T> {
  return Object.fromEntries(Object.entries(section).filter(([key]) => used.has(`#/components/${name}/${key}`)));
}
