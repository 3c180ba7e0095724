/** The operations of a document, each with its place in the tree of a client and the name that it would like there. */
import type { Pages } from '../../definition/contract/list-parameters.ts';
import { API, accountPath, pathTemplate } from '../../definition/contract/routes.ts';
import type { Definition } from '../../definition/definition.ts';
import type { Endpoint } from '../../definition/endpoint.ts';
import { fileInputs } from '../../definition/files.ts';
import { isLive } from '../../definition/live.ts';
import { answeringAction } from '../openapi/components.ts';
import type { Method, OpenApiDocument, Operation } from '../openapi/document.ts';
import { wordsFrom } from '../openapi/names.ts';

export interface ClientOperation {
  readonly method: Method;
  /** The path as in the document: `/api/post/{post_slug}`. */
  readonly path: string;
  readonly operation: Operation;
  /** The segments that lead to the place, `{post_slug}` for a parameter. */
  readonly place: readonly string[];
  /** The number of segments of the place that lead to its collection or single record. */
  readonly home: number;
  readonly name: OperationName;
  /** The documentation: the author's words, or generated ones. */
  readonly doc: string;
  /** The pages; null if the endpoint has none. */
  readonly pages: Pages | null;
  /** Whether custom code writes to the response itself, or the response is a file. */
  readonly isWrittenByCode: boolean;
  /** Where the files of its body are uploaded. */
  readonly uploads: readonly Upload[];
  /** Whether clients can follow the list. */
  readonly isLive: boolean;
  /** The name of its API, if that has one. */
  readonly api: string | null;
}

interface Upload {
  /** The place of the input in the body: `author.photo`. */
  readonly place: string;
  /** The path behind that of the endpoint. */
  readonly name: string;
  readonly operation: Operation;
}

type OperationName =
  /** `list`, `get`, `create`, `update`, `delete`: no two at one place. */
  | { readonly kind: 'built-in'; readonly text: string }
  /** A name from the last segment of the path, or from the method. */
  | { readonly kind: 'custom'; readonly segment: string };

export function operationsOf(definition: Definition, document: OpenApiDocument): readonly ClientOperation[] {
  const keyOf = ({ method, path }: Endpoint) => `${method.toLowerCase()} ${pathTemplate(path)}`;
  const endpoints = new Map(definition.endpoints.map((endpoint) => [keyOf(endpoint), endpoint]));
  return Object.entries(document.paths).flatMap(([path, item]) =>
    (Object.entries(item) as [Method, Operation][]).flatMap(([method, operation]) => {
      const endpoint = endpoints.get(`${method} ${path}`);
      // Only the service can sign a request.
      if (endpoint?.signed) return [];
      const uploads = endpoint ? uploadsOf(endpoint, path, definition, document) : [];
      return { ...operationFrom(path, method, operation, endpoint), uploads };
    }),
  );
}

/** The routes of accounts are no endpoints of the definition; they are named like custom ones. */
function operationFrom(
  path: string,
  method: Method,
  operation: Operation,
  endpoint: Endpoint | undefined,
): Omit<ClientOperation, 'uploads'> {
  const segments = path.split('/').slice(ABOVE);
  const isCustom = endpoint === undefined || endpoint.kind === 'custom';
  const isAtResource = !isCustom || endpoint?.atResource === true || segments.at(-1)?.startsWith('{') === true;
  const last = isAtResource ? method : (segments.at(-1) ?? '');
  const place = isAtResource ? segments : segments.slice(0, -1);
  return {
    method,
    path,
    operation,
    place,
    home: place.at(-1)?.startsWith('{') ? place.length - 1 : place.length,
    name: isCustom ? { kind: 'custom', segment: last } : { kind: 'built-in', text: endpoint.kind },
    doc: operation.description ?? (endpoint?.kind === 'custom' ? wordsFrom(last) : operation.summary),
    pages: endpoint?.response.kind === 'list' ? endpoint.response.page : null,
    isWrittenByCode:
      endpoint !== undefined && (endpoint.response.kind === 'file' || answeringAction(endpoint)?.kind === 'execute'),
    isLive: endpoint !== undefined && isLive(endpoint),
    api: endpoint?.api ?? null,
  };
}

function uploadsOf(
  endpoint: Endpoint,
  above: string,
  definition: Definition,
  { paths }: OpenApiDocument,
): readonly Upload[] {
  const { under } = endpoint.request;
  return fileInputs(endpoint, definition).flatMap(({ path }) => {
    const name = `${path.join('.')}/upload`;
    const operation = paths[`${above}/${name}`]?.post;
    return operation ? [{ place: [...(under === undefined ? [] : [under]), ...path].join('.'), name, operation }] : [];
  });
}

/** Whether clients need a type of their own for it. */
export function hasOwnForm({ envelope }: Pages): boolean {
  return envelope !== undefined;
}

/** The number of segments before the first one behind `/api/`. */
const ABOVE = `/${API}/`.split('/').length - 1;

/** The routes of accounts that answer with a token. */
const GIVING = ['login', 'verify', 'reset', 'accept'] as const;

export function tokenUseOf({ path, method }: ClientOperation, definition: Definition): 'given' | 'ended' | undefined {
  if (!definition.auth?.password || method !== 'post') return undefined;
  if (GIVING.some((name) => path === pathTemplate(accountPath(name)))) return 'given';
  return path === pathTemplate(accountPath('logout')) ? 'ended' : undefined;
}

// Pieces of TypeScript.

/** Writes documentation in front of a declaration, on lines of its own; empty if there is none. */
export function docComment(doc: string | null | undefined, indent = ''): string {
  if (doc === null || doc === undefined || doc.trim() === '') return '';
  const lines = doc
    .trim()
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.trimEnd());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

export function propertyName(name: string): string {
  return isIdentifier(name) ? name : quoted(name);
}

/** A text as a literal, in the quotes that need fewer escapes. */
export function quoted(text: string): string {
  const json = JSON.stringify(text);
  if (text.includes("'")) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}
