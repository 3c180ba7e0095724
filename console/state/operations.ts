/** The operations of the API in the order of its document, in groups. Worked out once for a document. */
import { memoized } from '../../compiler/definition/memo.ts';
import type { Method, OpenApiDocument, Operation, Response } from '../../compiler/emit/openapi/document.ts';

export interface ApiOperation {
  readonly id: string;
  readonly method: Method;
  /** The path as in the document: `/api/post/{post_slug}`. */
  readonly path: string;
  readonly tag: string;
  readonly operation: Operation;
}

export interface ApiGroup {
  readonly tag: string;
  readonly description: string;
  /** The tag without the words of the groups above it, or of the heading. */
  readonly label: string;
  /** The number of groups above it. */
  readonly depth: number;
  /** The name of its API, if it is the first group of one that has a name. */
  readonly heading: string | null;
  readonly operations: readonly ApiOperation[];
}

export interface Api {
  readonly document: OpenApiDocument;
  readonly groups: readonly ApiGroup[];
  readonly byId: ReadonlyMap<string, ApiOperation>;
}

export const apiOf = memoized((document: OpenApiDocument): Api => {
  const operations = operationsIn(document);
  return {
    document,
    groups: groupsOf(document, operations),
    byId: new Map(operations.map((operation) => [operation.id, operation])),
  };
});

function operationsIn({ paths }: OpenApiDocument): readonly ApiOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    (Object.entries(item) as [Method, Operation][]).map(([method, operation]) => ({
      id: operation.operationId,
      method,
      path,
      tag: operation.tags[0] ?? '',
      operation,
    })),
  );
}

/** The groups. Those without a named API come first, where no heading is above them. */
function groupsOf({ tags }: OpenApiDocument, operations: readonly ApiOperation[]): readonly ApiGroup[] {
  const names = new Set(tags.map(({ name }) => name));
  const apiOfTag = (tag: string): string | null => {
    const [first = tag] = tag.split('.');
    return names.has(first) ? null : first;
  };
  const isOfApi = ({ name }: { readonly name: string }): number => (apiOfTag(name) === null ? 0 : 1);
  const ordered = tags.toSorted((one, other) => isOfApi(one) - isOfApi(other));
  let heading: string | null = null;
  return ordered.map(({ name, description }) => {
    const api = apiOfTag(name);
    const isFirst = api !== null && api !== heading;
    heading = api;
    const depth = parentsOf(name, names);
    const label = name
      .split('.')
      .slice(depth + (api === null ? 0 : 1))
      .join('.');
    return {
      tag: name,
      description,
      label: label === '' ? name : label,
      depth,
      heading: isFirst ? api : null,
      operations: operations.filter(({ tag }) => tag === name),
    };
  });
}

function parentsOf(tag: string, names: ReadonlySet<string>): number {
  const parts = tag.split('.');
  return parts.slice(1).filter((_, at) => names.has(parts.slice(0, at + 1).join('.'))).length;
}

/** The response; null for a part that the document does not have. */
export function responseIn({ components }: OpenApiDocument, given: Operation['responses'][string]): Response | null {
  return '$ref' in given ? (components.responses[given.$ref.split('/').at(-1) ?? ''] ?? null) : given;
}

export type Access =
  /** It makes no difference who calls. */
  | 'anyone'
  /** Everybody may call, and somebody who is signed in may get more. */
  | 'optional'
  | 'signed-in'
  /** The caller must be signed in, and a rule of the application must hold too. */
  | 'rule'
  /** Another service calls it, and signs what it sends. */
  | 'signed';

export function accessOf({ security, responses }: Operation): Access {
  if (security === undefined || security.length === 0) return '403' in responses ? 'rule' : 'anyone';
  if (security.some((each) => Object.keys(each).length === 0)) return 'optional';
  if (!security.some((each) => 'bearer' in each)) return 'signed';
  return '403' in responses ? 'rule' : 'signed-in';
}
