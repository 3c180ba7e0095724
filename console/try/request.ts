/** One request as the form has it, and as it is sent. */
import { hasInexactNumbers } from '../../compiler/definition/contract/exact-json.ts';
import type { OpenApiDocument, Parameter, Schema } from '../../compiler/emit/openapi/document.ts';
import { exampleOf } from '../../compiler/emit/openapi/examples.ts';
import type { ApiOperation } from '../state/operations.ts';
import { quietly } from '../state/quietly.ts';
import { fieldsOf, type PlainType, resolved } from '../state/schema.ts';

/** The values of a form. They are texts until they are sent; those of the body are JSON. */
export interface Draft {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
  /** The body; undefined if the operation takes none. */
  readonly body: unknown;
}

export interface QueryValue {
  /** The operator of a filter, such as `gte`; empty for the plain value. */
  readonly operator: string;
  readonly text: string;
}

export interface HttpRequest {
  readonly method: string;
  /** The path with the query, from the root of the application. */
  readonly target: string;
  /** The body; null if there is none. */
  readonly body: string | null;
}

/** A draft with the examples of the document in required values, so that the form can be sent at once. */
export function exampleDraft({ operation }: ApiOperation, document: OpenApiDocument): Draft {
  const { parameters = [], requestBody } = operation;
  const body = requestBody?.content['application/json'];
  const paths = parameters.filter((each) => each.in === 'path');
  const queries = parameters.filter((each) => each.in === 'query' && each.required);
  return {
    path: Object.fromEntries(paths.map((each) => [each.name, exampleText(each)])),
    query: Object.fromEntries(queries.map((each) => [each.name, { operator: '', text: exampleText(each) }])),
    body: body === undefined ? undefined : (body.example ?? examplesOf(body.schema, document)),
  };
}

/** The examples of the fields that have one. A body without an example in the document has a field without one. */
function examplesOf(schema: Schema, document: OpenApiDocument): unknown {
  const optional = { ...resolved(schema, document), required: [] };
  return exampleOf(optional, ($ref) => resolved({ $ref }, document))?.value ?? {};
}

/** The first draft of the form. Optional inputs are left to the user. */
export function firstDraft(operation: ApiOperation, document: OpenApiDocument): Draft {
  const draft = exampleDraft(operation, document);
  const schema = operation.operation.requestBody?.content['application/json']?.schema;
  if (schema === undefined) return draft;
  const examples = (draft.body ?? {}) as Readonly<Record<string, unknown>>;
  const required = fieldsOf(schema, document).filter(({ name, isRequired }) => isRequired && name in examples);
  const entries = required.map(({ name, schema: own }, at) => [
    name,
    timeAt(resolved(own, document), at) ?? examples[name],
  ]);
  return { ...draft, body: Object.fromEntries(entries) };
}

const HOUR_MS = 3_600_000;

/** A time in the future, each an hour behind the one before it, so that an end is behind its start; null if it is no time. */
function timeAt({ format }: Schema, at: number): string | null {
  const tomorrow = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS;
  if (format === 'date-time') return new Date(tomorrow + at * HOUR_MS).toISOString().replace('.000', '');
  return format === 'date' ? new Date(tomorrow + at * 24 * HOUR_MS).toISOString().slice(0, 10) : null;
}

/** The draft with values of the address: parameters under their names, and the body as JSON. Null if it has none. */
export function givenDraft({ operation }: ApiOperation, draft: Draft, given: URLSearchParams): Draft | null {
  const { parameters = [] } = operation;
  const named = parameters.flatMap((each) => {
    const text = given.get(each.name);
    return text === null ? [] : [{ ...each, text }];
  });
  const body = quietly(() => JSON.parse(given.get('body') ?? ''));
  if (named.length === 0 && body === undefined) return null;
  const paths = named.filter((each) => each.in === 'path').map(({ name, text }) => [name, text]);
  const queries = named.filter((each) => each.in === 'query').map(({ name, text }) => [name, { operator: '', text }]);
  return {
    path: { ...draft.path, ...Object.fromEntries(paths) },
    query: { ...draft.query, ...Object.fromEntries(queries) },
    body: draft.body === undefined ? undefined : (body ?? draft.body),
  };
}

function exampleText({ example, schema }: Parameter): string {
  return textFrom(example ?? schema.default) ?? '';
}

export function httpRequestOf({ method, path }: ApiOperation, { path: values, query, body }: Draft): HttpRequest {
  const filled = filledPath(path, values);
  const search = queryText(query);
  return {
    method: method.toUpperCase(),
    target: search === '' ? filled : `${filled}?${search}`,
    body: body === undefined ? null : JSON.stringify(body),
  };
}

export function filledPath(path: string, values: Draft['path']): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

function queryText(query: Draft['query']): string {
  return Object.entries(query)
    .filter(([, { text, operator }]) => text !== '' || operator !== '')
    .map(([name, { operator, text }]) => `${queryKey(name, operator)}=${encodeURIComponent(text)}`)
    .join('&');
}

/** The name of a parameter. Brackets are not escaped: every server reads them, and people too. */
function queryKey(name: string, operator: string): string {
  return operator === '' ? encodeURIComponent(name) : `${encodeURIComponent(name)}[${operator}]`;
}

/** The operators of a filter, with the schema of what each takes; empty for any other parameter. */
export function operatorsOf({ style, schema }: Parameter): Readonly<Record<string, Schema>> {
  if (style !== 'deepObject') return {};
  return schema.anyOf?.find(({ properties }) => properties)?.properties ?? {};
}

/** The schema of one value of the parameter. */
export function valueSchemaOf(parameter: Parameter): Schema {
  return parameter.style === 'deepObject' ? (parameter.schema.anyOf?.[0] ?? {}) : parameter.schema;
}

// ── Typed values ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Converts texts of a form to values of JSON, and back. A text that is no value of the type is sent unchanged: the
// server explains why not.

/** The value; undefined if nothing is sent. */
export function valueFrom(text: string | null, type: PlainType): unknown {
  if (text === null) return null;
  if (text === '') return undefined;
  if (type === 'integer' || type === 'number')
    return !hasInexactNumbers(text) && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  // A number that would be rounded stays a text, with all of its digits.
  if ((type !== 'any' && type !== 'object') || hasInexactNumbers(text)) return text;
  const value: unknown = quietly(() => JSON.parse(text));
  return value === undefined ? text : value;
}

export function textFrom(value: unknown): string | null {
  if (value === undefined) return '';
  if (value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
