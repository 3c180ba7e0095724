/** The operations of a document, each with its endpoint and with what an answer of each status must look like. */
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { accountEndpoints, passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Endpoint } from '../../../compiler/definition/endpoint.ts';
import type { OpenApiDocument, Parameter, Response, Schema } from '../../../compiler/emit/openapi/document.ts';
import { bodySchemaOf } from '../../compiler/openapi/contract-client.ts';
import { type Route, routesOf } from '../../compiler/openapi/documents.ts';
import { type Judge, judgeOf } from '../../compiler/openapi/validator.ts';

export interface FuzzedOperation {
  readonly id: string;
  readonly method: string;
  /** Such as `/api/post/{post_slug}`. */
  readonly template: string;
  readonly parameters: readonly Parameter[];
  readonly bodySchema: Schema | null;
  /** Null for login and logout, which no endpoint describes. */
  readonly endpoint: Endpoint | null;
  /** Whether the document says that a caller must be authenticated. */
  readonly needsSomebody: boolean;
  /** By status, `4XX` or `default`. */
  readonly answers: Readonly<Record<string, DescribedAnswer>>;
}

export interface DescribedAnswer {
  readonly requiredHeaders: readonly string[];
  /** By media type; null where there is no body. */
  readonly bodies: Readonly<Record<string, ValidateFunction>> | null;
}

export class Operations {
  readonly all: readonly FuzzedOperation[];
  readonly contract: string;
  readonly isProblem: ValidateFunction;
  readonly #document: OpenApiDocument;

  constructor(document: OpenApiDocument, definition: Definition) {
    const judge = judgeOf(document, true);
    const endpoints = endpointsOf(definition);
    this.#document = document;
    this.contract = document['x-kiln-contract'];
    this.isProblem = judge({ $ref: '#/components/schemas/Problem' });
    this.all = routesOf(document).map((route) => this.#operationOf(route, endpoints, judge));
  }

  readonly resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    return this.resolve(this.#document.components.schemas[nameIn(schema.$ref)] ?? {});
  };

  /** What a request reaches, with or without a slash at the end. A literal segment wins over a parameter. */
  at(method: string, target: string): FuzzedOperation | undefined {
    const path = target.replace(/\?.*/s, '').replace(/(?<=.)\/$/, '');
    const found = this.all.filter((each) => each.method === method && matches(each.template, path));
    return found.sort((a, b) => a.template.split('{').length - b.template.split('{').length)[0];
  }

  #operationOf({ path, method, operation }: Route, endpoints: Endpoints, judge: Judge): FuzzedOperation {
    const described = Object.entries(operation.responses).map(([status, response]) => [
      status,
      describedAnswer('$ref' in response ? this.#responseAt(response.$ref) : response, judge),
    ]);
    const bodySchema = bodySchemaOf(operation);
    return {
      id: operation.operationId,
      method: method.toUpperCase(),
      template: path,
      parameters: operation.parameters ?? [],
      bodySchema: bodySchema ? this.resolve(bodySchema) : null,
      endpoint: endpoints.get(`${method.toUpperCase()} ${path}`) ?? null,
      needsSomebody: operation.security?.every((each) => 'bearer' in each) ?? false,
      answers: Object.fromEntries(described),
    };
  }

  #responseAt(ref: string): Response {
    return this.#document.components.responses[nameIn(ref)] as Response;
  }
}

function describedAnswer({ headers = {}, content }: Response, judge: Judge): DescribedAnswer {
  const required = Object.entries(headers).filter(([, header]) => '$ref' in header || header.required === true);
  const bodies = Object.entries(content ?? {}).map(([type, { schema }]) => [type, judge(schema)]);
  return {
    requiredHeaders: required.map(([name]) => name.toLowerCase()),
    bodies: content === undefined ? null : Object.fromEntries(bodies),
  };
}

type Endpoints = ReadonlyMap<string, Endpoint>;

function endpointsOf(definition: Definition): Endpoints {
  const auth = passwordAuthOf(definition);
  const all = [...definition.endpoints, ...(auth ? accountEndpoints(auth, definition) : [])];
  return new Map(all.map((endpoint) => [`${endpoint.method} ${templateOf(endpoint)}`, endpoint]));
}

function templateOf({ path }: Endpoint): string {
  return `/${path.map((each) => (each.kind === 'literal' ? each.text : `{${each.name}}`)).join('/')}`;
}

function nameIn(ref: string): string {
  return ref.split('/').at(-1) ?? '';
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((each, at) => (each.startsWith('{') ? given[at] !== '' : each === given[at]))
  );
}
