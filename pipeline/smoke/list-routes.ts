import type { Definition, Endpoint } from '../../compiler/definition/definition.ts';

/** The list endpoints that can be asked with nothing in hand: no record in the path, no input that must be given. */
export function listRoutes({ endpoints }: Definition): readonly string[] {
  return endpoints.filter((endpoint) => endpoint.kind === 'list' && !needsAnything(endpoint)).map(pathOf);
}

function needsAnything({ path, request }: Endpoint): boolean {
  return path.some(({ kind }) => kind === 'parameter') || request.inputs.some(({ required }) => required);
}

function pathOf({ path }: Endpoint): string {
  return `/${path.map((segment) => (segment.kind === 'literal' ? segment.text : '')).join('/')}`;
}
