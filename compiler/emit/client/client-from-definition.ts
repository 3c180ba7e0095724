/**
 * The TypeScript client of an application: one file without dependencies, for browsers and Node. Its types are those of
 * the OpenAPI document, to the letter; every operation of the document is one method. The same definition gives the same
 * bytes.
 */
import { passwordAuthOf } from '../../definition/accounts.ts';
import { PROBLEMS } from '../../definition/contract/problems.ts';
import type { Definition } from '../../definition/definition.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { Names } from '../openapi/names.ts';
import { refusesIn } from '../openapi/refusals.ts';
import { bodyOf, declaredTypes } from './declared-types.ts';
import { type ClientOperation, operationsOf, propertyName, quoted, tokenUseOf } from './operations.ts';
import { resourcesText } from './resources.ts';
import { runtimeCode, runtimeTypes, valueDeclarations } from './runtime/runtime-text.ts';
import { answerOf } from './schema-types.ts';
import { type ClientNode, treeOf } from './tree.ts';
import { webhookText } from './webhooks.ts';

export interface ClientOptions {
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
    filters: operations.some((operation) => filtersOf(operation).length + joinedOf(operation).length > 0),
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
