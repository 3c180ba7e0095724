import { parameterNames, pathPattern } from '../../compiler/definition/contract/routes.ts';
import type { Definition, Endpoint } from '../../compiler/definition/definition.ts';

/** The list endpoints that can be asked with nothing in hand: no record in the path, no input that must be given. */
export function listRoutes({ endpoints }: Definition): readonly string[] {
  const lists = endpoints.filter((endpoint) => endpoint.response.kind === 'list' && !needsAnything(endpoint));
  return lists.map(({ path }) => pathPattern(path));
}

function needsAnything({ path, request }: Endpoint): boolean {
  return parameterNames(path).length > 0 || request.inputs.some(({ required }) => required);
}
