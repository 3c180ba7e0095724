/**
 * The TypeScript client of an application: one file without dependencies, for browsers and Node. Its types are those of
 * the OpenAPI document, to the letter; every operation of the document is one method. The same definition gives the same
 * bytes.
 */
import { passwordAuthOf } from '../../definition/accounts.ts';
import { nameOfMember, PAGE_PARAMETERS, type Pages, pageFormOf } from '../../definition/contract/list-parameters.ts';
import { PROBLEMS } from '../../definition/contract/problems.ts';
import type { Definition } from '../../definition/definition.ts';
import { TEXT_FORMS } from '../../definition/scalars.ts';
import { PAGE_SUFFIXES } from '../openapi/components.ts';
import { type OpenApiDocument, refsFrom, type Schema } from '../openapi/document.ts';
import { Names, pascalCase } from '../openapi/names.ts';
import { refusesIn } from '../openapi/refusals.ts';
import {
  type ClientOperation,
  docComment,
  hasOwnForm,
  isIdentifier,
  operationsOf,
  propertyName,
  quoted,
  tokenUseOf,
} from './operations.ts';
import { runtimeCode, runtimeTypes, valueDeclarations } from './runtime/runtime-text.ts';
import { answerOf, codesOf, objectType, propertyText, type TypeContext, typeOf } from './schema-types.ts';
import { type ClientNode, type Named, treeOf } from './tree.ts';
import { eventSchemas, webhookText } from './webhooks.ts';

interface ClientOptions {
  /** The fingerprint of the document; the server answers with its own. */
  readonly contract: string;
}

export interface ClientText {
  /** The first lines of every file of the client. */
  readonly heading: string;
  /** `client.ts`. */
  readonly typescript: string;
  /** `client.d.ts`, for the JavaScript that `typescript` is without its types. */
  readonly declarations: string;
}

export function clientFromDefinition(
  definition: Definition,
  document: OpenApiDocument,
  { contract }: ClientOptions,
): ClientText {
  const operations = operationsOf(definition, document);
  const features = {
    pages: operations.some(({ pages }) => pages !== null),
    login: passwordAuthOf(definition) !== null,
    filters: operations.some(({ operation }) => operation.parameters?.some((each) => each.style || each.schema.items)),
    files: operations.some(({ uploads }) => uploads.length > 0),
    live: operations.some(({ isLive }) => isLive),
    versions: operations.some(({ operation }) => '304' in operation.responses),
  };
  const statuses = statusesOf(definition);
  const ownTypes = joined([runtimeTypes(features), statusText(statuses)]);
  const code = runtimeCode(features);
  const names = typeNames(ownTypes + code);
  const top = treeOf(operations);
  const types = declaredTypes(document, operations, names);
  const resources = resourcesText(top, { definition, document, types, names });
  const heading = headingOf(document);
  const webhooks = webhookText(document, types.answered);
  const declared = [heading, resources, section('What is sent and answered'), webhooks.types, types.text(), ownTypes];
  return {
    heading,
    typescript: joined([
      ...declared,
      section('Code'),
      contractText(contract),
      codesText(statuses),
      `const ROUTES: Routes = ${placeText(top, definition, '')};\n`,
      code,
      webhooks.code,
    ]),
    declarations: joined([...declared, valueDeclarations(), webhooks.declarations]),
  };
}

const MADE_BY_KILN = 'made by Kiln from its description';

/** Whether a file is a generated client, and so may be replaced. */
export function isMadeByKiln(text: string): boolean {
  return text.slice(0, LONGEST_HEADING).includes(MADE_BY_KILN);
}

const LONGEST_HEADING = 1000;

/** The heading. The title may be any text, for example the name of a folder. */
function headingOf({ info }: OpenApiDocument): string {
  const title = info.title.replaceAll('*/', '*\\/').replace(/\s+/g, ' ');
  return `/* eslint-disable */
/**
 * The client of ${title}, ${MADE_BY_KILN}. It is overwritten when that changes: do not edit it.
 *
 *   const client = createClient({ baseUrl: 'https://example.com' });
 */
`;
}

function contractText(contract: string): string {
  return `/** The server sends its contract with each response: the client notices a difference. */\nconst CONTRACT = ${quoted(contract)};\n`;
}

type Statuses = ReadonlyMap<string, ReadonlySet<number>>;

/** The statuses by code: those of Kiln, and those of `refuse` actions, which may have several. */
function statusesOf({ endpoints }: Definition): Statuses {
  const found = new Map(Object.entries(PROBLEMS).map(([code, { status }]) => [code, new Set<number>([status])]));
  for (const { code, status } of endpoints.flatMap(refusesIn))
    found.set(code, (found.get(code) ?? new Set()).add(status));
  return found;
}

function statusText(statuses: Statuses): string {
  const rows = [...statuses].map(([code, each]) => `  ${propertyName(code)}: ${[...each].sort().join(' | ')};\n`);
  return `export interface Statuses {\n${rows.join('')}}\n`;
}

function codesText(statuses: Statuses): string {
  return `const CODES = /^(${[...statuses.keys()].join('|')})$/;\n`;
}

const RULE = 120;

function section(title: string): string {
  return `// ── ${title} `.padEnd(RULE, '─').concat('\n');
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

// ── Type names ───────────────────────────────────────────────────────────────────────────────────────────────────────

// The names of types in a client: as in the OpenAPI document, unless the client needs the name for itself.

/** Words that cannot be the name of a type. */
const RESERVED =
  'any asserts async await bigint boolean break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface intrinsic let never new null number object package private protected public return static string super switch symbol this throw true try type typeof undefined unknown unique var void while with yield'.split(
    ' ',
  );

/** `code` is what every client has in it: the types that it declares, and those of JavaScript that it relies on. */
function typeNames(code: string): Names {
  const withoutWords = code.replace(/\/\*[\s\S]*?\*\/|'[^'\n]*'/g, '');
  const used = withoutWords.match(/\b[A-Z][A-Za-z0-9]+\b/g) ?? [];
  return new Names([...RESERVED, ...used]);
}

// ── Routes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// The table of routes, from which a client makes its methods when it runs.

function placeText(place: ClientNode, definition: Definition, indent: string): string {
  const inner = `${indent}  `;
  const { methods, one, groups } = place;
  const lines = [
    ...methods.map(({ name, value }) => `${inner}${name}: ${routeText(value, definition)},\n`),
    ...(one === null ? [] : [`${inner}'()': ${placeText(one, definition, inner)},\n`]),
    ...groups.map(({ name, value }) => `${inner}${name}: ${placeText(value, definition, inner)},\n`),
  ];
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}

function routeText(operation: ClientOperation, definition: Definition): string {
  const takes = takesOf(operation);
  const gives = givesOf(operation);
  const { status } = answerOf(operation);
  const token = tokenUseOf(operation, definition);
  const parts = [
    `route: ${quoted(`${operation.method.toUpperCase()} ${operation.path}`)}`,
    ...(takes === null ? [] : [`takes: '${takes}'`]),
    ...filesText(operation),
    ...namesText('filters', filtersOf(operation)),
    ...namesText('joined', joinedOf(operation)),
    ...(gives === null ? [] : [`gives: '${gives}'`]),
    ...pageNamesText(operation),
    ...(status === null ? [] : [`status: ${typeof status === 'string' ? quoted(status) : status}`]),
    ...(token === undefined ? [] : [`token: '${token}'`]),
    ...(operation.isLive ? ['live: true'] : []),
  ];
  return `{ ${parts.join(', ')} }`;
}

function takesOf(operation: ClientOperation): 'query' | 'body' | null {
  if (bodyOf(operation).length > 0) return 'body';
  return operation.operation.parameters?.some((each) => each.in === 'query') ? 'query' : null;
}

/** The parameters that may be lists, or objects of operators. */
function filtersOf({ operation }: ClientOperation): readonly string[] {
  return (operation.parameters ?? []).flatMap(({ name, style }) => (style === 'deepObject' ? [name] : []));
}

/** The lists with commas between their items; in others, the name is before each item. */
function joinedOf({ operation }: ClientOperation): readonly string[] {
  return (operation.parameters ?? []).flatMap(({ name, explode }) => (explode === false ? [name] : []));
}

function namesText(property: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${property}: [${names.map(quoted).join(', ')}]`];
}

function filesText({ uploads }: ClientOperation): readonly string[] {
  const files = uploads.map(({ place, name }) => `${propertyName(place)}: ${quoted(name)}`);
  return files.length === 0 ? [] : [`files: { ${files.join(', ')} }`];
}

/** The names of pages and their parameters, if they are not the usual ones. */
function pageNamesText({ pages }: ClientOperation): readonly string[] {
  const members = pages?.envelope?.map(({ name, value }) => `${value}: ${quoted(name)}`);
  const parameters = Object.entries(pages?.parameters ?? {}).map(([key, name]) => `${key}: ${quoted(name)}`);
  return [
    ...(members ? [`members: { ${members.join(', ')} }`] : []),
    ...(parameters.length === 0 ? [] : [`parameters: { ${parameters.join(', ')} }`]),
  ];
}

/** The kind of the result; null for JSON. */
function givesOf(operation: ClientOperation): 'page' | 'nothing' | 'response' | null {
  if (operation.isWrittenByCode) return 'response';
  if (operation.pages !== null) return 'page';
  return answerOf(operation).schema === null ? 'nothing' : null;
}

// ── Resources ────────────────────────────────────────────────────────────────────────────────────────────────────────

// The interfaces of the places of a client, from the top down.

interface ResourceContext {
  readonly definition: Definition;
  readonly document: OpenApiDocument;
  readonly types: DeclaredTypes;
  readonly names: Names;
}

function resourcesText(top: ClientNode, context: ResourceContext): string {
  const texts: string[] = [];
  addResource('Client', top, context, texts);
  return texts.join('\n');
}

/** Adds the text of a resource before the texts of the resources below it. */
function addResource(name: string, place: ClientNode, context: ResourceContext, texts: string[]): void {
  const at = texts.push('') - 1;
  const methods = place.methods.map((method) => methodText(method, context));
  const one = place.one === null ? '' : oneText(place.one, context, texts);
  const groups = place.groups.map((group) => groupText(group, context, texts));
  const doc = name === 'Client' ? '' : docComment(docOf(place, context));
  const members = [one, ...methods, ...groups].join('');
  texts[at] = `${doc}export interface ${name} {${members === '' ? '' : `\n${members}`}}\n`;
}

function groupText({ name, value }: Named<ClientNode>, context: ResourceContext, texts: string[]): string {
  const type = typeName(value, 'Resource', context.names);
  addResource(type, value, context, texts);
  return `${docComment(docOf(value, context), '  ')}  readonly ${name}: ${type};\n`;
}

function oneText(place: ClientNode, context: ResourceContext, texts: string[]): string {
  const type = typeName(place, 'Item', context.names);
  addResource(type, place, context, texts);
  const parameter = place.segments.at(-1)?.slice(1, -1) ?? '';
  return `  (${isIdentifier(parameter) ? parameter : 'id'}: ${valueType(place, context)}): ${type};\n`;
}

/** The name of a type, such as `PostCommentsItem`. */
function typeName({ segments }: ClientNode, suffix: string, names: Names): string {
  const literal = segments.filter((segment) => !segment.startsWith('{'));
  return names.claim(`${pascalCase(literal.join('.'))}${suffix}`);
}

/** The type of the parameter of a path. */
function valueType({ segments, inside }: ClientNode, { types }: ResourceContext): string {
  const found = inside.flatMap(({ place, operation }) => {
    const name = place[segments.length - 1]?.slice(1, -1);
    return (operation.parameters ?? []).filter((each) => each.in === 'path' && each.name === name);
  });
  return [...new Set(found.map(({ schema }) => typeOf(schema, types.sent)))].join(' | ') || 'string';
}

/** The documentation of the entrypoint, or of the API, at this place. */
function docOf({ residents, segments, inside }: ClientNode, { document, definition }: ResourceContext): string | null {
  const tag = residents[0]?.operation.tags[0];
  if (tag !== undefined) return document.tags.find(({ name }) => name === tag)?.description ?? null;
  const api = segments.length === 1 ? inside.find((each) => each.api !== null)?.api : undefined;
  return definition.apis.find(({ name }) => name !== null && name === api)?.doc ?? null;
}

// ── Methods ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function methodText({ name, value }: Named<ClientOperation>, context: ResourceContext): string {
  const { types } = context;
  const { pages } = value;
  const kind = pages ? 'PagedMethod' : 'Method';
  const codes = [...new Set([value, ...value.uploads].flatMap(codesOf))];
  const data = dataType(value, types);
  const parts = [
    argumentsOf(value, context),
    data,
    ...(codes.length === 0 ? [] : [codes.join(' | ')]),
    // The type of the result, if it is no page of the usual form. The codes come before it: a list in pages has some.
    ...pageTypeOf(value, data, types),
  ];
  const type = `  readonly ${name}: ${kind}<${parts.join(', ')}>`;
  return `${docComment(methodDoc(value), '  ')}${withLive(type, value, data, types)};\n`;
}

/** A list that is live has one more method. */
function withLive(before: string, operation: ClientOperation, data: string, types: DeclaredTypes): string {
  if (!operation.isLive) return before;
  const [page = operation.pages ? `Page<${data}>` : data] = pageTypeOf(operation, data, types);
  const parts = [`[${[...inputOf(operation, types), 'options?: LiveOptions'].join(', ')}]`, page];
  return `${before} & Live<${parts.join(', ')}>`;
}

function pageTypeOf(operation: ClientOperation, data: string, types: DeclaredTypes): readonly string[] {
  const { pages } = operation;
  if (pages === null) return [];
  const { schema } = answerOf(operation);
  if (hasOwnForm(pages) && schema !== null) return [typeOf(schema, types.answered)];
  const form = pageFormOf(pages);
  return form === 'counted' ? [] : [`${PAGE_SUFFIXES[form]}<${data}>`];
}

function methodDoc({ doc, method, path }: ClientOperation): string {
  const text = doc.trim();
  const sentence = /[.!?:`)]$/.test(text) ? text : `${text}.`;
  const route = `(\`${method.toUpperCase()} ${path}\`)`;
  return sentence.includes('\n') ? `${sentence}\n\n${route}` : `${sentence} ${route}`;
}

function argumentsOf(operation: ClientOperation, { types, definition }: ResourceContext): string {
  const options = tokenUseOf(operation, definition) === 'given' ? 'LoginOptions' : 'CallOptions';
  return `[${[...inputOf(operation, types), `options?: ${options}`].join(', ')}]`;
}

function inputOf(operation: ClientOperation, types: DeclaredTypes): readonly string[] {
  const [body] = bodyOf(operation);
  const { requestBody, parameters = [] } = operation.operation;
  if (body !== undefined) return [`body${requestBody?.required ? '' : '?'}: ${typeOf(body, types.sent)}`];
  const query = types.queryOf(operation);
  const isRequired = parameters.some((each) => each.in === 'query' && each.required);
  return query === null ? [] : [`query${isRequired ? '' : '?'}: ${query}`];
}

function dataType(operation: ClientOperation, types: DeclaredTypes): string {
  if (operation.isWrittenByCode) return 'Response';
  const { schema } = answerOf(operation);
  if (schema === null) return 'void';
  const item: Schema = operation.pages ? types.itemOf(schema, operation.pages) : schema;
  return typeOf(item, types.answered, '  ');
}

// ── Declared types ───────────────────────────────────────────────────────────────────────────────────────────────────

// The types of requests and responses: the components of the document that the operations use, and the queries of
// lists.

interface DeclaredTypes {
  readonly answered: TypeContext;
  readonly sent: TypeContext;
  /** The type of the parameters behind the `?`; null if there are none. */
  readonly queryOf: (operation: ClientOperation) => string | null;
  /** The schema of one record in a page. */
  readonly itemOf: (page: Schema, pages: Pages) => Schema;
  readonly text: () => string;
}

const PREFIX = '#/components/schemas/';

function declaredTypes(document: OpenApiDocument, operations: readonly ClientOperation[], names: Names): DeclaredTypes {
  const { schemas } = document.components;
  const resolve = (ref: string): Schema => schemas[ref.slice(PREFIX.length)] ?? {};
  const itemOf = ({ $ref }: Schema, pages: Pages): Schema =>
    resolve($ref ?? '').properties?.[nameOfMember(pages, 'data') ?? '']?.items ?? {};
  const bodies = operations.flatMap(bodyOf);
  const answers = operations.flatMap((operation) => {
    const { schema } = answerOf(operation);
    if (schema === null || operation.isWrittenByCode) return [];
    const { pages } = operation;
    return [pages && !hasOwnForm(pages) ? itemOf(schema, pages) : schema];
  });
  const sentRefs = refsFrom(bodies, resolve);
  const parameters = operations.flatMap(({ operation }) => operation.parameters ?? []);
  const refs = refsFrom(
    [...bodies, ...answers, ...eventSchemas(document), ...parameters.map(({ schema }) => schema)],
    resolve,
  );
  const typeNames = new Map([...refs].sort().map((ref) => [ref, nameOfComponent(ref, names)]));
  const formats = new FormatNames(names);
  const context = {
    nameOf: (ref: string) => typeNames.get(ref) ?? 'unknown',
    formatOf: (format: string) => formats.nameOf(format),
  };
  const answered = { ...context, isSent: false };
  const sent = { ...context, isSent: true };
  const queries = new Map(operations.map((operation) => [operation, queryType(operation, names, sent)]));
  const components = [...typeNames].map(([ref, name]) =>
    componentText(name, resolve(ref), sentRefs.has(ref) ? sent : answered),
  );
  return {
    answered,
    sent,
    queryOf: (operation) => queries.get(operation)?.name ?? null,
    itemOf,
    text: () =>
      [...components, ...[...queries.values()].flatMap((query) => query?.text ?? []), ...formats.texts()].join('\n'),
  };
}

function bodyOf({ operation }: ClientOperation): readonly Schema[] {
  const body = operation.requestBody?.content['application/json'];
  return body ? [body.schema] : [];
}

function nameOfComponent(ref: string, names: Names): string {
  const name = ref.slice(PREFIX.length);
  return names.claim(name, `${name}Model`);
}

function componentText(name: string, schema: Schema, context: TypeContext): string {
  const doc = docComment(schema.description);
  if (schema.type === 'object' && schema.properties !== undefined)
    return `${doc}export interface ${name} ${objectType(schema, context, '')}\n`;
  return `${doc}export type ${name} = ${typeOf(schema, context)};\n`;
}

// ── Queries ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface QueryType {
  readonly name: string;
  /** The text of the type; empty if it is the type of all pages. */
  readonly text: readonly string[];
}

function queryType({ operation, pages }: ClientOperation, names: Names, context: TypeContext): QueryType | null {
  const { operationId, parameters = [] } = operation;
  const isUsual = pages !== null && pages.parameters === undefined;
  const known = isUsual ? PAGE_PARAMETERS[pageFormOf(pages)] : [];
  const own = parameters.filter((each) => each.in === 'query' && !known.includes(each.name));
  // The type that the parameters of pages have in every client.
  const pageQuery = pages?.by === 'cursor' ? 'CursorQuery' : 'PageQuery';
  if (own.length === 0) return isUsual ? { name: pageQuery, text: [] } : null;
  const name = names.claim(`${pascalCase(operationId)}Query`);
  const parent = isUsual ? ` extends ${pageQuery}` : '';
  const lines = own.map(({ name: key, required, schema, description }) =>
    propertyText(`${propertyName(key)}${required ? '' : '?'}`, schema, description, context, '  '),
  );
  return { name, text: [`export interface ${name}${parent} {\n${lines.join('')}}\n`] };
}

// ── Formats ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Texts of a known form have a name, which only the reader needs. Those that nothing uses are left out. */
class FormatNames {
  readonly #names: Names;
  readonly #used = new Map<string, string>();

  constructor(names: Names) {
    this.#names = names;
  }

  nameOf(format: string): string | undefined {
    const known = TEXT_FORMS.get(format)?.client;
    if (known === undefined) return undefined;
    const name = this.#used.get(format) ?? this.#names.claim(known.name, `${known.name}Text`);
    this.#used.set(format, name);
    return name;
  }

  texts(): readonly string[] {
    const used = [...this.#used].sort(([, a], [, b]) => (a < b ? -1 : 1));
    return used.map(
      ([format, name]) => `${docComment(TEXT_FORMS.get(format)?.client.doc)}export type ${name} = string;\n`,
    );
  }
}
