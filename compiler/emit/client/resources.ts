/** The interfaces of the places of a client, from the top down. */
import { pageFormOf } from '../../definition/contract/list-parameters.ts';
import type { Definition } from '../../definition/definition.ts';
import { PAGE_SUFFIXES } from '../openapi/components.ts';
import type { OpenApiDocument, Schema } from '../openapi/document.ts';
import { type Names, pascalCase } from '../openapi/names.ts';
import { bodyOf, type DeclaredTypes } from './declared-types.ts';
import { type ClientOperation, docComment, hasOwnForm, isIdentifier, tokenUseOf } from './operations.ts';
import { answerOf, codesOf, typeOf } from './schema-types.ts';
import type { ClientNode, Named } from './tree.ts';

export interface ResourceContext {
  readonly definition: Definition;
  readonly document: OpenApiDocument;
  readonly types: DeclaredTypes;
  readonly names: Names;
}

export function resourcesText(top: ClientNode, context: ResourceContext): string {
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
