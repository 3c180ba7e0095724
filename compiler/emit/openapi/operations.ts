/** An endpoint as an operation: its parameters, its body, and every answer that can come. */
import { listParameters } from '../../definition/contract/list-parameters.ts';
import { accountRoute, POSITION } from '../../definition/contract/routes.ts';
import { LONGEST_PART } from '../../definition/contract/validators.ts';
import type { Definition } from '../../definition/definition.ts';
import type { Auth, Endpoint, Identify, ListField } from '../../definition/endpoint.ts';
import { fileInputs } from '../../definition/files.ts';
import { KnownCaller } from '../../definition/known-caller.ts';
import { type FilterOperator, filterParameters } from '../../definition/list-filters.ts';
import { hasNode, modelIn } from '../../definition/lookup.ts';
import { requestValuesOf } from '../../definition/request-values.ts';
import { withRulesWrittenOut } from '../../definition/rules-written-out.ts';
import { SIGNATURE_HEADERS, type SignatureScheme } from '../../definition/signed-requests.ts';
import { isConditional } from '../../definition/versions.ts';
import { answersOf, jsonContent, type StatusAnswer } from './answers.ts';
import type { ComponentSchemas } from './components.ts';
import type {
  Operation,
  Parameter,
  RequestBody,
  Response,
  Responses,
  Schema,
  SecurityRequirement,
  SecurityScheme,
} from './document.ts';
import { exampleOf } from './examples.ts';
import { formSchema, queryParameters } from './inputs.ts';
import { fieldIn, type Group, headerName, localName, memberIn, wordsFrom } from './names.ts';
import { type Refusal, refusalFacts } from './problems.ts';
import { refusalsOf, runsCode } from './refusals.ts';
import { described, listOf, writeSchema } from './selection-schemas.ts';

export function operationOf(
  endpoint: Endpoint,
  group: Group,
  operationId: string,
  components: ComponentSchemas,
): Operation {
  const { definition } = components;
  const security = securityOf(endpoint, definition);
  const parameters = parametersOf(endpoint, components);
  const requestBody = requestBodyOf(endpoint, components);
  return {
    operationId,
    ...wordsOf(endpoint, group),
    tags: [group.id],
    ...(security === undefined ? {} : { security }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === null ? {} : { requestBody }),
    responses: responsesOf(answersOf(endpoint, components), refusalsOf(endpoint, definition)),
  };
}

/** What a service sends where nothing of it is used. */
const ANY_OBJECT: RequestBody = { required: false, content: { 'application/json': { schema: { type: 'object' } } } };

/** An empty body is an object without properties, so that it may be left out where nothing is required. */
function requestBodyOf(endpoint: Endpoint, components: ComponentSchemas): RequestBody | null {
  const { from, inputs } = endpoint.request;
  if (endpoint.signed && inputs.length === 0) return ANY_OBJECT;
  if (from !== 'body' || inputs.length === 0) return null;
  const required = inputs.some((input) => input.required);
  const form = fileInputs(endpoint, components.definition).length > 0 && {
    'multipart/form-data': { schema: formSchema(endpoint.request, components) },
  };
  return { required, content: { ...jsonContent(components.inputRef(endpoint), components), ...form } };
}

export function responsesOf(answers: readonly StatusAnswer[], refusals: readonly Refusal[]): Responses {
  const refused = refusals.map(
    (refusal) => [refusalFacts(refusal).status, { $ref: `#/components/responses/${refusal}` }] as const,
  );
  const answered = answers.map(({ status, response }) => {
    const same = refusals.map(refusalFacts).find((refusal) => refusal.status === status);
    return [status, same === undefined ? response : eitherOf(response, same.response)] as const;
  });
  const own = new Set(answers.map(({ status }) => status));
  return Object.fromEntries([...answered, ...refused.filter(([status]) => !own.has(status))]);
}

/**
 * Joins two responses of one status. If an endpoint responds with a status of refusals, the content type tells the two
 * apart.
 */
function eitherOf(own: Response, refusal: Response): Response {
  return {
    description: `${own.description} Or: ${refusal.description}`,
    headers: { ...refusal.headers, ...own.headers },
    content: { ...own.content, ...refusal.content },
  };
}

// ── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function wordsOf(endpoint: Endpoint, group: Group): Pick<Operation, 'summary' | 'description'> {
  const { doc } = endpoint;
  const summary = summaryOf(endpoint, group);
  return doc === null ? { summary } : { summary, description: doc };
}

function summaryOf(endpoint: Endpoint, group: Group): string {
  const { kind, model, method, response } = endpoint;
  if (endpoint.atResource && response.kind === 'list') return `List ${model} records`;
  if (endpoint.atResource) return `${VERBS_OF_METHODS[method] ?? method} ${model}`;
  if (response.kind === 'upload') return uploadSummary(response, localName(endpoint, group));
  if (response.kind === 'file') return `Get ${model} ${lowered(wordsFrom(response.file.read ?? ''))}`;
  if (kind === 'custom') return customSummary(endpoint, wordsFrom(localName(endpoint, group).replace(TOLD_APART, '')));
  return ACCOUNT_TITLES[endpoint.id] ?? (kind === 'list' ? `List ${model} records` : `${VERBS[kind]} ${model}`);
}

const ACCOUNT_TITLES: Readonly<Record<string, string>> = { 'auth.register': 'Register', 'auth.me': 'Who is signed in' };

/** What ids end in where two endpoints share a path. */
const TOLD_APART = /\.(one|many)\.[a-z]+$/;

/**
 * What is posted is most often a verb, `Publish Post`, and everything else a noun: `Set User password`. It does not belong
 * to the model where it is about all records: `Get Product: low stock`.
 */
function customSummary({ method, model, cardinality }: Endpoint, words: string): string {
  const verb = VERBS_OF_METHODS[method];
  return verb ? `${verb} ${model}${cardinality === 'many' ? ':' : ''} ${lowered(words)}` : `${words} ${model}`;
}

/** Each endpoint that takes the file has an upload of its own: `Upload Post cover (create)`. */
function uploadSummary({ model, field }: Extract<Endpoint['response'], { kind: 'upload' }>, name: string): string {
  return `Upload ${model} ${lowered(wordsFrom(field))} (${name.split('.')[0]})`;
}

function lowered(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

const VERBS_OF_METHODS: Readonly<Record<Endpoint['method'], string | null>> = {
  GET: 'Get',
  POST: null,
  PUT: 'Set',
  PATCH: 'Change',
  DELETE: 'Delete',
};

const VERBS: Readonly<Record<Exclude<Endpoint['kind'], 'custom' | 'list'>, string>> = {
  get: 'Get',
  create: 'Create',
  update: 'Change',
  delete: 'Delete',
};

// ── Parameters ───────────────────────────────────────────────────────────────────────────────────────────────────────

// The parameters of an operation: those of the path, of a list, and inputs in the query.

function parametersOf(endpoint: Endpoint, components: ComponentSchemas): readonly Parameter[] {
  const { request, records } = endpoint;
  const identifiers = records.flatMap(({ identify }) => (identify ? [identify] : []));
  const inputs = request.from === 'query' ? request.inputs : [];
  return [
    ...identifiers.map((identify) => pathParameter(identify, components)),
    ...queryParameters(request.inPath ?? [], components, components.resolve).map(inPath),
    ...listParametersOf(endpoint),
    ...filtersOf(endpoint, components),
    ...queryParameters(inputs, components, components.resolve),
    ...headersOf(endpoint, components.definition),
  ];
}

function pathParameter(identify: Identify, components: ComponentSchemas): Parameter {
  const { parameter, model, field, type } = identify;
  const known = fieldIn(components.definition, model, field);
  const written = writeSchema(type, components.enumRef);
  const schema: Schema = type.kind === 'string' ? { ...written, minLength: 1 } : written;
  const example = exampleOf(schema, components.resolve, field);
  return {
    name: parameter,
    in: 'path',
    required: true,
    description: described({}, `The \`${field}\` of \`${model}\`.`, known?.doc).description ?? '',
    schema,
    ...(example === null ? {} : { example: example.value }),
  };
}

/** Headers that are no parameters in a document, which describes them in other ways. */
const SAID_OTHERWISE: readonly string[] = ['accept', 'authorization', 'content-type', 'if-match', 'if-none-match'];

/** The headers that Kiln reads by itself, and those that expressions read. */
function headersOf(endpoint: Endpoint, definition: Definition): readonly Parameter[] {
  const { versioned, method, response, actions, stale } = endpoint;
  const isRead = versioned && method === 'GET' && response.kind === 'record';
  const calls = actions.some(({ kind }) => kind === 'service-call');
  const own: readonly (readonly [name: string, isThere: boolean | undefined, description: string])[] = [
    ['If-Match', isConditional(endpoint), 'The `ETag` of the version that is to be changed. Another one is a 412.'],
    ['If-None-Match', isRead, 'The `ETag` that the client has. The same one is a 304.'],
    ['Idempotency-Key', calls, KEY_WORDS],
    [POSITION, stale !== undefined, `${POSITION_WORDS} Without it, the data may be up to ${stale} seconds old.`],
  ];
  const read = requestValuesOf(endpoint, definition).flatMap(({ from, path }) => (from === 'header' ? path : []));
  const said = [...SAID_OTHERWISE, ...(calls ? ['idempotency-key'] : [])];
  const others = [...new Set(read)].filter((name) => !said.includes(name)).sort();
  return [
    ...own.filter(([, isThere]) => isThere).map(([name, , description]) => headerParameter(name, description)),
    ...others.map((name) => headerParameter(headerName(name), 'Read by the endpoint if it is sent.')),
  ];
}

const KEY_WORDS = 'Send the same key when you repeat the request: other services that it calls can tell by it.';
const POSITION_WORDS = `The \`${POSITION}\` of a change that the response must show.`;

function headerParameter(name: string, description: string): Parameter {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

function inPath(parameter: Parameter): Parameter {
  return { ...parameter, in: 'path', required: true, description: parameter.description ?? '' };
}

function listParametersOf({ response }: Endpoint): readonly Parameter[] {
  const parameters = response.kind === 'list' ? Object.entries(listParameters(response)) : [];
  return parameters.map(([name, { description, schema }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    ...(schema.type === 'array' ? { style: 'form' as const, explode: false } : {}),
    schema,
  }));
}

// ── Filters ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function filtersOf({ response }: Endpoint, components: ComponentSchemas): readonly Parameter[] {
  const fields = response.kind === 'list' ? (response.filterable ?? []) : [];
  return fields.map((field) => filterOf(field, components));
}

/** A value, several of which any may be meant, or an object of operators: `price[gte]=10`. */
function filterOf(field: ListField, components: ComponentSchemas): Parameter {
  const known = memberIn(components.definition, field.value);
  const [equal, ...operators] = filterParameters(field);
  const value = writeSchema(equal.type, components.enumRef);
  const properties = operators.map(({ operator, type: each, takesSeveral }) => {
    const isPart = operator === 'contains' || operator === 'prefix';
    const schema = { ...writeSchema(each, components.enumRef), ...(isPart && { maxLength: LONGEST_PART }) };
    return [operator, described(takesSeveral ? anyOf(schema) : schema, OPERATOR_WORDS[operator as FilterOperator])];
  });
  return {
    name: field.name,
    in: 'query',
    required: false,
    description:
      described({}, `Only records with this \`${field.name}\`. Repeat it to match any of several values.`, known?.doc)
        .description ?? '',
    style: 'deepObject',
    explode: true,
    schema: { anyOf: [value, listOf(value), { type: 'object', properties: Object.fromEntries(properties) }] },
  };
}

function anyOf(schema: Schema): Schema {
  return { anyOf: [schema, listOf(schema)] };
}

const OPERATOR_WORDS: Readonly<Record<FilterOperator, string>> = {
  gt: 'Greater than this.',
  gte: 'This or greater.',
  lt: 'Less than this.',
  lte: 'This or less.',
  ne: 'Not equal to this. Repeat it to exclude several values.',
  contains: 'Contains this text. Case is ignored.',
  prefix: 'Starts with this text. Case is ignored.',
  null: 'Whether the value is null.',
};

// The callers of an endpoint, as far as a document can describe them.

const BEARER: SecurityRequirement = { bearer: [] };
const NOBODY: SecurityRequirement = {};

/** The security; undefined if it makes no difference who calls. */
export function securityOf(endpoint: Endpoint, definition: Definition): readonly SecurityRequirement[] | undefined {
  if (endpoint.signed) return [{ [signatureName(endpoint.signed.by)]: [] }];
  if (definition.auth === null) return undefined;
  const models = { get: (name: string) => modelIn(definition, name) };
  const written = withRulesWrittenOut(endpoint, models);
  const nobody = new KnownCaller({ models });
  if (written.authorize.some((rule) => nobody.holds(rule, written) === false)) return [BEARER];
  const mayMatter =
    endpoint.authReads.length > 0 ||
    hasNode(endpoint, ({ kind }) => kind === 'authenticated') ||
    requestValuesOf(endpoint, definition).some(({ from }) => from === 'claim') ||
    runsCode(endpoint, definition);
  return mayMatter ? [BEARER, NOBODY] : undefined;
}

export const REQUIRED = [BEARER];

export function securitySchemes(definition: Definition): Readonly<Record<string, SecurityScheme>> | undefined {
  const schemes = new Set(definition.endpoints.flatMap(({ signed }) => signed?.by ?? []));
  const signatures = [...schemes].sort().map((by) => [signatureName(by), signatureScheme(by)] as const);
  if (definition.auth === null && signatures.length === 0) return undefined;
  return { ...(definition.auth && bearerScheme(definition.auth)), ...Object.fromEntries(signatures) };
}

function signatureName(by: SignatureScheme): string {
  return `signedBy${by.charAt(0).toUpperCase()}${by.slice(1)}`;
}

function signatureScheme(by: SignatureScheme): SecurityScheme {
  const names = SIGNATURE_HEADERS[by].map(headerName);
  const name = names.find((each) => each.includes('Signature')) as string;
  const headers = names.map((each) => `\`${each}\``).join(', ');
  return { type: 'apiKey', in: 'header', name, description: `The service signs the body, and sends ${headers}.` };
}

function bearerScheme(auth: Auth): Readonly<Record<string, SecurityScheme>> {
  const ways = [
    ...(auth.password ? [`a token from \`${accountRoute('login')}\``] : []),
    ...(auth.subject === null ? [] : ['a JWT of the identity provider that the server trusts']),
  ];
  const description = ways.length === 0 ? 'No token is accepted.' : `Either ${ways.join(' or ')}.`;
  const said = ways.length === 1 ? `${ways[0]?.charAt(0).toUpperCase()}${ways[0]?.slice(1)}.` : description;
  return { bearer: { type: 'http', scheme: 'bearer', description: said } };
}
