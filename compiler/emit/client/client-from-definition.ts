/**
 * The TypeScript client of an application: one file without dependencies, for browsers and Node. Its types are those of
 * the OpenAPI document, to the letter; every operation of the document is one method. The same definition gives the same
 * bytes.
 */
import { passwordAuthOf } from '../../definition/accounts.ts';
import { PROBLEMS } from '../../definition/contract/problems.ts';
import type { Definition } from '../../definition/definition.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { declaredTypes } from './declared-types.ts';
import { operationsOf } from './operations.ts';
import { resourcesText } from './resources.ts';
import { filtersOf, joinedOf, routesText } from './routes.ts';
import { runtimeCode, runtimeTypes, valueDeclarations } from './runtime/runtime-text.ts';
import { treeOf } from './tree.ts';
import { typeNames } from './type-names.ts';
import { propertyName, quoted } from './written.ts';

export interface ClientOptions {
  /** The fingerprint of the document; the server answers with its own. */
  readonly contract: string;
}

export interface ClientText {
  /** What every file of the client begins with. */
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
    hasPages: operations.some(({ pages }) => pages !== null),
    hasLogin: passwordAuthOf(definition) !== null,
    hasFilters: operations.some((operation) => filtersOf(operation).length + joinedOf(operation).length > 0),
  };
  const ownTypes = joined([runtimeTypes(features), statusText()]);
  const code = runtimeCode(features);
  const names = typeNames(ownTypes + code);
  const top = treeOf(operations);
  const types = declaredTypes(document, operations, names);
  const resources = resourcesText(top, { definition, document, types, names });
  const heading = headingOf(document);
  const declared = [heading, resources, section('What is sent and answered'), types.text(), ownTypes];
  return {
    heading,
    typescript: joined([
      ...declared,
      section('Code'),
      contractText(contract),
      CODES,
      routesText(top, definition),
      code,
    ]),
    declarations: joined([...declared, valueDeclarations()]),
  };
}

const MADE_BY_KILN = 'made by Kiln from its description';

/** Whether the text of a file is that of a client, and so may be replaced. */
export function isMadeByKiln(text: string): boolean {
  return text.slice(0, LONGEST_HEADING).includes(MADE_BY_KILN);
}

const LONGEST_HEADING = 1000;

/** The title may be any text, the name of a folder for one. */
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
  return `/** The server sends its own contract with each response, so the client notices a difference. */\nconst CONTRACT = ${quoted(contract)};\n`;
}

function statusText(): string {
  const rows = Object.entries(PROBLEMS).map(([code, { status }]) => `  ${propertyName(code)}: ${status};\n`);
  return `export interface Statuses {\n${rows.join('')}}\n`;
}

const CODES = `const CODES =\n  /^(${Object.keys(PROBLEMS).join('|')})$/;\n`;

const RULE = 120;

function section(title: string): string {
  return `// ── ${title} `.padEnd(RULE, '─').concat('\n');
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
