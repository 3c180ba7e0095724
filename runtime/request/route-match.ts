/** What is to be done with a request, from its method and path alone. */
import { ApiError } from '../errors/api-error.ts';
import type { Match, Routed, Router } from './router.ts';

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
