/** JSON Schema as TypeScript. The server checks what a type cannot express, such as the length of a text. */
import { PROBLEM_TYPE } from '../../definition/contract/problems.ts';
import type { Reference, Response, Schema } from '../openapi/document.ts';
import { REFUSALS, type Refusal, refusalFacts } from '../openapi/problems.ts';
import { type ClientOperation, docComment, isIdentifier, propertyName, quoted } from './operations.ts';

export interface TypeContext {
  /** The name of the type of a component. */
  readonly nameOf: (ref: string) => string;
  /** The type of texts with a format. */
  readonly formatOf: (format: string) => string | undefined;
  /** Whether the value is sent: its properties are readonly then. */
  readonly isSent: boolean;
}

export function typeOf(schema: Schema, context: TypeContext, indent = ''): string {
  return alternativesOf(schema, context, indent).join(' | ');
}

/** The parts of a union, each once. */
function alternativesOf(schema: Schema, context: TypeContext, indent: string): readonly string[] {
  const { $ref, enum: values, type, anyOf, allOf } = schema;
  if ($ref !== undefined) return [context.nameOf($ref)];
  if ('const' in schema) return [literal(schema.const)];
  if (values !== undefined) return values.map(literal);
  if (type !== undefined) return typesOf(type, schema, context, indent);
  if (anyOf !== undefined) return unionOf(anyOf, context, indent);
  if (allOf !== undefined) return [intersectionOf(allOf, context, indent)];
  return ['unknown'];
}

function typesOf(
  type: NonNullable<Schema['type']>,
  schema: Schema,
  context: TypeContext,
  indent: string,
): readonly string[] {
  if (typeof type === 'string') return [oneType(type, schema, context, indent)];
  if (type.length === ANY_BUT_NULL) return ['NonNullable<unknown>'];
  return type.map((each) => oneType(each, schema, context, indent));
}

/** Objects, lists, texts, numbers, booleans. */
const ANY_BUT_NULL = 5;

function unionOf(schemas: readonly Schema[], context: TypeContext, indent: string): readonly string[] {
  const parts = new Set(schemas.flatMap((each) => alternativesOf(each, context, indent)));
  return parts.has('unknown') ? ['unknown'] : [...parts];
}

function intersectionOf(schemas: readonly Schema[], context: TypeContext, indent: string): string {
  const parts = schemas.map((each) => typeOf(each, context, indent)).filter((part) => part !== 'unknown');
  const distinct = [...new Set(parts)];
  if (distinct.length < 2) return distinct[0] ?? 'unknown';
  return distinct.map((part) => (part.includes(' | ') ? `(${part})` : part)).join(' & ');
}

type OneType = Extract<NonNullable<Schema['type']>, string>;

function oneType(type: OneType, schema: Schema, context: TypeContext, indent: string): string {
  switch (type) {
    case 'string':
      if (schema['x-kiln-upload']) return 'Blob | string';
      return context.formatOf(schema.format ?? '') ?? 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return listType(typeOf(schema.items ?? {}, context, indent), context);
    case 'object':
      if (schema.properties) return objectType(schema, context, indent);
      return `Record<string, ${typeOf(schema.additionalProperties ?? {}, context, indent)}>`;
  }
}

function listType(item: string, { isSent }: TypeContext): string {
  const isSimple = isIdentifier(item) || (item.startsWith('{') && item.endsWith('}'));
  return `${isSent ? 'readonly ' : ''}${isSimple ? item : `(${item})`}[]`;
}

/** The braces with all properties, each on lines of its own. */
export function objectType({ properties = {}, required = [] }: Schema, context: TypeContext, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return propertyText(`${propertyName(name)}${mark}`, schema, schema.description, context, inner);
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}

export function propertyText(
  left: string,
  schema: Schema,
  doc: string | undefined,
  context: TypeContext,
  indent: string,
): string {
  const readonly = context.isSent ? 'readonly ' : '';
  const inherited = context.isSent && INHERITED.has(left) ? ` | Object['${left.slice(0, -1)}']` : '';
  const type = typeOf(schema, context, indent);
  const leftOut = context.isSent && left.endsWith('?') && type !== 'unknown' ? ' | undefined' : '';
  return `${docComment(doc, indent)}${indent}${readonly}${left}: ${type}${inherited}${leftOut};\n`;
}

/** Properties that TypeScript takes from all objects if an object leaves them out. */
const INHERITED: ReadonlySet<string> = new Set([
  'constructor?',
  'hasOwnProperty?',
  'isPrototypeOf?',
  'propertyIsEnumerable?',
  'toLocaleString?',
  'toString?',
  'valueOf?',
]);

function literal(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

// The result of a call and the problems it can end with, by the responses that the document lists.

export interface Answer {
  /** The schema of the body; null if there is none. */
  readonly schema: Schema | null;
  /** A status other than 2xx that is no refusal; `any` if it is known only at run time. */
  readonly status: number | 'any' | null;
}

export function answerOf({ operation }: ClientOperation): Answer {
  // Refusals are components.
  const own = Object.entries(operation.responses).find(([, response]) => !('$ref' in response));
  const [status = '', response] = own ?? [];
  const content = Object.entries((response as Response | undefined)?.content ?? {});
  const body = content.find(([type]) => type !== PROBLEM_TYPE)?.[1];
  return { schema: body?.schema ?? null, status: statusOf(status) };
}

function statusOf(status: string): Answer['status'] {
  if (status === 'default') return 'any';
  return status.startsWith('2') ? null : Number(status);
}

// ── Refusals ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Codes that any call may end with, so they are not listed for each. */
const ANY_TIME: readonly string[] = ['internal', 'unavailable'];
const OF_BODIES: readonly string[] = ['malformed-request', 'too-large', 'unsupported-media-type'];

/** The parts of a union of codes. */
export function codesOf({ operation }: Pick<ClientOperation, 'operation'>): readonly string[] {
  const codes = Object.entries(operation.responses).flatMap(refusedCodes);
  if (codes.includes(null)) return ['ProblemCode'];
  const told = codes.flatMap((code) => (code === null || ANY_TIME.includes(code) ? [] : [code]));
  const hasBody = OF_BODIES.every((code) => told.includes(code));
  const rest = hasBody ? told.filter((code) => !OF_BODIES.includes(code)) : told;
  return [...(hasBody ? ['BodyCode'] : []), ...rest.map((code) => `'${code}'`)];
}

/** An endpoint that answers with a status of refusals tells of both in one response. */
function refusedCodes([status, response]: readonly [string, Response | Reference]): readonly (string | null)[] {
  if (status === '304') return ['not-modified'];
  if ('$ref' in response) return refusalFacts(response.$ref.slice('#/components/responses/'.length) as Refusal).codes;
  const problem = response.content?.[PROBLEM_TYPE];
  if (problem === undefined) return [];
  const own = problem.schema.allOf?.[1]?.properties?.code?.enum as readonly string[] | undefined;
  return own ?? Object.values(REFUSALS).flatMap((each) => (each.status === status ? [each.code] : []));
}
