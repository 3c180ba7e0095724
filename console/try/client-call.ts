/** An operation as a call of the generated client, under the names that the client has for it. */
import type { ClientOperation } from '../../compiler/emit/client/operations.ts';
import { type ClientNode, treeOf } from '../../compiler/emit/client/tree.ts';
import { camelCase } from '../../compiler/emit/openapi/names.ts';
import type { Api, ApiOperation } from '../state/operations.ts';
import type { Draft } from './request.ts';

/** What `/api/` is split into. */
const ABOVE = 2;

const BUILT_IN: ReadonlySet<string> = new Set(['list', 'get', 'create', 'update', 'delete']);

const trees = new WeakMap<Api, ClientNode>();

/** `client.post('hello-world').comments.create`, without the arguments. */
export function clientMethod(api: Api, operation: ApiOperation, path: Draft['path']): string {
  const tree = trees.get(api) ?? treeOf([...api.byId.values()].map(placed));
  trees.set(api, tree);
  return `client${wayTo(tree, operation, path) ?? ''}`;
}

function wayTo(node: ClientNode, operation: ApiOperation, path: Draft['path']): string | null {
  const isIt = ({ path: other, method }: ClientOperation): boolean =>
    other === operation.path && method === operation.method;
  const method = node.methods.find(({ value }) => isIt(value));
  if (method) return `.${method.name}`;
  const group = node.groups.find(({ value }) => value.inside.some(isIt));
  if (group) return `.${group.name}${wayTo(group.value, operation, path) ?? ''}`;
  if (!node.one?.inside.some(isIt)) return null;
  const name = operation.path.split('/').slice(ABOVE)[node.segments.length]?.slice(1, -1) ?? '';
  return `(${argument(operation, name, path[name] ?? '')})${wayTo(node.one, operation, path) ?? ''}`;
}

function argument({ operation }: ApiOperation, name: string, text: string): string {
  const { type } = operation.parameters?.find((each) => each.name === name)?.schema ?? {};
  return type === 'integer' && /^-?\d+$/.test(text) ? text : quoted(text);
}

export function quoted(text: string): string {
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
    api: null,
  };
}

/** `list` of `postList`, which is of the group `post`. A number tells apart what would have the same id. */
function ownName(id: string, tag: string): string {
  return id.slice(camelCase(tag).length).replace(/\d+$/, '').toLowerCase();
}
