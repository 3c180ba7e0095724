/**
 * The types of requests and responses: the components of the document that the operations use, and the queries of
 * lists.
 */
import { nameOfMember, PAGE_PARAMETERS, type Pages, pageFormOf } from '../../definition/contract/list-parameters.ts';
import { TEXT_FORMS } from '../../definition/scalars.ts';
import { type OpenApiDocument, refsFrom, type Schema } from '../openapi/document.ts';
import { type Names, pascalCase } from '../openapi/names.ts';
import { type ClientOperation, docComment, hasOwnForm, propertyName } from './operations.ts';
import { answerOf, objectType, propertyText, type TypeContext, typeOf } from './schema-types.ts';
import { eventSchemas } from './webhooks.ts';

export interface DeclaredTypes {
  readonly answered: TypeContext;
  readonly sent: TypeContext;
  /** The type of the parameters behind the `?`; null if there are none. */
  readonly queryOf: (operation: ClientOperation) => string | null;
  /** The schema of one record in a page. */
  readonly itemOf: (page: Schema, pages: Pages) => Schema;
  readonly text: () => string;
}

const PREFIX = '#/components/schemas/';

export function declaredTypes(
  document: OpenApiDocument,
  operations: readonly ClientOperation[],
  names: Names,
): DeclaredTypes {
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

export function bodyOf({ operation }: ClientOperation): readonly Schema[] {
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
