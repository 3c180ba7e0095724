/**
 * Finds the route of a path: one tree of segments for each method, so that the time does not depend on the number of
 * routes. A literal segment wins over a parameter, segment by segment from the left; where the literal leads nowhere,
 * the parameter is tried. Segments are compared by their decoded text, and `/api/post/` is the same as `/api/post`.
 */
import { pathPattern, type Segment } from '../../compiler/definition/contract/routes.ts';
import { ApiError } from '../errors/api-error.ts';

export interface Routed {
  readonly method: string;
  readonly path: readonly Segment[];
}

export interface Match<T> {
  readonly target: T;
  /** Decoded, in the order of the path. */
  readonly params: readonly string[];
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  parameter: Node<T> | null;
  target: T | null;
}

export class Router<T extends Routed> {
  readonly #roots = new Map<string, Node<T>>();

  constructor(targets: Iterable<T>) {
    for (const target of targets) this.#add(target);
  }

  /** GET answers HEAD too. A path that cannot be decoded is an ApiError. */
  find(method: string, path: string): Match<T> | null {
    const root = this.#roots.get(method);
    const match = root === undefined ? null : matchFrom(root, path);
    return match === null && method === 'HEAD' ? this.find('GET', path) : match;
  }

  /** All the methods that the path answers, for `Allow`; empty where it is unknown. */
  methodsOf(path: string): readonly string[] {
    return allowed([...this.#roots.keys()].filter((method) => this.find(method, path) !== null));
  }

  /** All the methods that any path answers. */
  get methods(): readonly string[] {
    return allowed([...this.#roots.keys()]);
  }

  #add(target: T): void {
    const root = this.#roots.get(target.method) ?? emptyNode<T>();
    this.#roots.set(target.method, root);
    const node = target.path.reduce(nodeBelow, root);
    if (node.target !== null) throw new Error(`two routes for ${target.method} ${pathPattern(target.path)}`);
    node.target = target;
  }
}

function allowed(methods: readonly string[]): readonly string[] {
  if (methods.length === 0) return [];
  const implied = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods, ...implied])].sort();
}

function emptyNode<T>(): Node<T> {
  return { literals: new Map(), parameter: null, target: null };
}

function nodeBelow<T>(node: Node<T>, segment: Segment): Node<T> {
  if (segment.kind === 'parameter') {
    node.parameter ??= emptyNode();
    return node.parameter;
  }
  const text = decodeURIComponent(segment.text);
  const child = node.literals.get(text) ?? emptyNode<T>();
  node.literals.set(text, child);
  return child;
}

function matchFrom<T>(root: Node<T>, path: string): Match<T> | null {
  if (path.charCodeAt(0) !== SLASH) return null;
  const params: string[] = [];
  const target = descend(root, path, 1, params);
  return target === null ? null : { target, params };
}

const SLASH = 47;

/** `at` is where the next segment begins; past the end, or at the end behind a slash, there is none. */
function descend<T>(node: Node<T>, path: string, at: number, params: string[]): T | null {
  if (at >= path.length) return node.target;
  const slash = path.indexOf('/', at);
  const end = slash === -1 ? path.length : slash;
  const text = decoded(path.slice(at, end));
  const literal = node.literals.get(text);
  const found = literal === undefined ? null : descend(literal, path, end + 1, params);
  if (found !== null || node.parameter === null || text === '') return found;
  return descendInto(node.parameter, text, path, end + 1, params);
}

function descendInto<T>(parameter: Node<T>, text: string, path: string, at: number, params: string[]): T | null {
  params.push(text);
  const found = descend(parameter, path, at, params);
  if (found === null) params.pop();
  return found;
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiError('malformed-request', { detail: `The path has an invalid escape: ${segment}` });
  }
}

// ── Route match ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The treatment of a request, by its method and path alone.

export type RouteMatch<T> =
  | ({ readonly kind: 'route' } & Match<T>)
  | { readonly kind: 'options'; readonly methods: readonly string[] }
  | { readonly kind: 'refusal'; readonly error: unknown };

export function routeMatchFrom<T extends Routed>(router: Router<T>, method: string, path: string): RouteMatch<T> {
  try {
    const match = router.find(method, path);
    return match === null ? unmatched(router, method, path) : { kind: 'route', ...match };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'refusal', error };
    throw error;
  }
}

function unmatched<T extends Routed>(router: Router<T>, method: string, path: string): RouteMatch<T> {
  const methods = path === '*' ? router.methods : router.methodsOf(path);
  if (methods.length === 0) return { kind: 'refusal', error: unknownPath(path) };
  if (method === 'OPTIONS') return { kind: 'options', methods };
  return { kind: 'refusal', error: otherMethod(method, path, methods) };
}

function unknownPath(path: string): ApiError {
  return new ApiError('not-found', { detail: `No endpoint has the path ${shortened(path)}.` });
}

function otherMethod(method: string, path: string, methods: readonly string[]): ApiError {
  const allow = methods.join(', ');
  const detail = `The path ${shortened(path)} does not answer ${method}, only ${allow}.`;
  return new ApiError('method-not-allowed', { detail, headers: { allow } });
}

const LONGEST_PATH = 200;

function shortened(path: string): string {
  return path.length <= LONGEST_PATH ? path : `${path.slice(0, LONGEST_PATH)}…`;
}
