/** A request as code: for a shell, and for the generated client. */

import { memoized } from '../../compiler/definition/memo.ts';
import type { ClientOperation } from '../../compiler/emit/client/operations.ts';
import { type ClientNode, treeOf } from '../../compiler/emit/client/tree.ts';
import type { Parameter } from '../../compiler/emit/openapi/document.ts';
import { camelCase } from '../../compiler/emit/openapi/names.ts';
import { type Api, type ApiOperation, accessOf } from '../state/operations.ts';
import type { Language } from '../ui/highlight.ts';
import { type Draft, httpRequestOf } from './request.ts';

export interface Sample {
  readonly name: 'curl' | 'typescript';
  readonly label: string;
  readonly language: Language;
  readonly text: string;
}

interface Sampled {
  readonly api: Api;
  readonly operation: ApiOperation;
  readonly draft: Draft;
  /** The URL of the server, without a slash at its end. */
  readonly server: string;
}

/** Clients do not have what only a service can sign. */
export function samplesOf(sampled: Sampled): readonly Sample[] {
  const isInClient = accessOf(sampled.operation.operation) !== 'signed';
  const typescript = { name: 'typescript', label: 'TypeScript', language: 'typescript' } as const;
  return [
    { name: 'curl', label: 'curl', language: 'shell', text: curlText(sampled) },
    ...(isInClient ? [{ ...typescript, text: typescriptText(sampled) }] : []),
  ];
}

/** The token itself is never written into an example, where it would be copied into chats and tickets. */
function needsToken({ operation }: ApiOperation): boolean {
  return operation.security?.some((each) => 'bearer' in each) ?? false;
}

function curlText({ operation, draft, server }: Sampled): string {
  const { method, target, body } = httpRequestOf(operation, draft);
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(`${server}${target}`)}`,
    ...(needsToken(operation) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(pretty(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** Quotes a text in single quotes, which only a single quote ends. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function pretty(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}

function typescriptText({ api, operation, draft, server }: Sampled): string {
  const options = [`baseUrl: ${quoted(server)}`, ...(needsToken(operation) ? ['token'] : [])];
  const call = `${clientMethod(api, operation, draft.path)}(${argumentText(operation, draft)})`;
  const gives = Object.keys(operation.operation.responses).some((status) => status === '200' || status === '201');
  return [
    "import { createClient } from './client';",
    '',
    `const client = createClient({ ${options.join(', ')} });`,
    `${gives ? 'const result = ' : ''}await ${call};`,
  ].join('\n');
}

function argumentText({ operation }: ApiOperation, { body, query }: Draft): string {
  if (body !== undefined) return literal(body, '');
  const given = Object.entries(query).filter(([, { text }]) => text !== '');
  if (given.length === 0) return '';
  return literal(
    Object.fromEntries(
      given.map(([name, { operator, text }]) => {
        const parameter = operation.parameters?.find((each) => each.name === name);
        const value = queryValue(parameter, operator, text);
        return [name, operator === '' ? value : { [operator]: value }];
      }),
    ),
    '',
  );
}

function queryValue(parameter: Parameter | undefined, operator: string, text: string): unknown {
  const schema = parameter?.style === 'deepObject' ? parameter.schema.anyOf?.[0] : parameter?.schema;
  if (schema?.type === 'array') return text.split(',');
  if (schema?.type === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  return (schema?.type === 'boolean' || operator === 'null') && /^(true|false)$/.test(text) ? text === 'true' : text;
}

/** Writes a value as a person would: names without quotes if they need none. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, indent));
    return `[${items.join(', ')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const inner = `${indent}  `;
  const entries = Object.entries(value).map(
    ([name, each]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)}: ${literal(each, inner)}`,
  );
  if (entries.length === 0) return '{}';
  const line = `{ ${entries.join(', ')} }`;
  if (line.length + indent.length <= 60 && !line.includes('\n')) return line;
  return `{\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${indent}}`;
}

// ── Client call ──────────────────────────────────────────────────────────────────────────────────────────────────────

// An operation as a call of the generated client, under the names that the client has for it.

/** The number of segments before the first one behind `/api/`. */
const ABOVE = 2;

const BUILT_IN: ReadonlySet<string> = new Set(['list', 'get', 'create', 'update', 'delete']);

const treeIn = memoized(({ byId }: Api): ClientNode => treeOf([...byId.values()].map(placed)));

/** `client.post('hello-world').comments.create`, without the arguments. */
export function clientMethod(api: Api, operation: ApiOperation, path: Draft['path']): string {
  return `client${pathTo(treeIn(api), operation, path) ?? ''}`;
}

function pathTo(node: ClientNode, operation: ApiOperation, path: Draft['path']): string | null {
  const isIt = ({ path: other, method }: ClientOperation): boolean =>
    other === operation.path && method === operation.method;
  const method = node.methods.find(({ value }) => isIt(value));
  if (method) return `.${method.name}`;
  const group = node.groups.find(({ value }) => value.inside.some(isIt));
  if (group) return `.${group.name}${pathTo(group.value, operation, path) ?? ''}`;
  if (!node.one?.inside.some(isIt)) return null;
  const name = operation.path.split('/').slice(ABOVE)[node.segments.length]?.slice(1, -1) ?? '';
  return `(${argument(operation, name, path[name] ?? '')})${pathTo(node.one, operation, path) ?? ''}`;
}

function argument({ operation }: ApiOperation, name: string, text: string): string {
  const { type } = operation.parameters?.find((each) => each.name === name)?.schema ?? {};
  return type === 'integer' && /^-?\d+$/.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
}

/**
 * The place of an operation in the client, from the document alone: endpoints of the five kinds are named after their
 * kind, custom ones after the last part of their path, or after their method where they have no path of their own.
 */
function placed({ id, tag, method, path, operation }: ApiOperation): ClientOperation {
  const segments = path.split('/').slice(ABOVE);
  const last = segments.at(-1) ?? '';
  const own = ownName(id, tag);
  // A custom endpoint may be called like one of the kinds.
  const isBuiltIn = BUILT_IN.has(own) && last !== own;
  const isAtResource = isBuiltIn || last.startsWith('{') || (own === method && last !== method);
  const place = isAtResource ? segments : segments.slice(0, -1);
  return {
    method,
    path,
    operation,
    place,
    home: place.length,
    name: isBuiltIn ? { kind: 'built-in', text: own } : { kind: 'custom', segment: isAtResource ? method : last },
    doc: '',
    pages: null,
    isWrittenByCode: false,
    uploads: [],
    isLive: false,
    api: null,
  };
}

/**
 * `list` of `postList`, which is of the group `post`. A number tells apart what would have the same id, and a method the
 * second of the two that an update answers: `postUpdatePatch`.
 */
function ownName(id: string, tag: string): string {
  const own = id.slice(camelCase(tag).length).replace(/\d+$/, '');
  return own.replace(/^Update(Put|Patch)$/, 'Update').toLowerCase();
}
