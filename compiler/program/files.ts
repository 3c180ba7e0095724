/** Where files are uploaded, and where they are read. */
import { literalPath, pathPattern, type Segment } from '../definition/contract/routes.ts';
import { chainOf, pathOf } from './endpoint-path.ts';
import type { Endpoint, Entrypoint, Field, Input, Model } from './program.ts';

/**
 * The get endpoint below which the files of a record are: of the same API if there is one, the one with the shortest path.
 * All parts of its path must be known from the record alone.
 */
export function getOfFiles(
  model: Model,
  endpoints: readonly Endpoint[],
  api: string | null = null,
): Endpoint | undefined {
  const gets = endpoints.filter((each) => each.kind === 'get' && each.entrypoint.model === model && hasAddress(each));
  const inApi = gets.filter(({ entrypoint }) => entrypoint.api === api);
  const [first] = (inApi.length > 0 ? inApi : gets).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return first;
}

function hasAddress({ entrypoint, signed }: Endpoint): boolean {
  const isKnown = ({ identify, isCaller, through, parent }: Entrypoint) =>
    identify !== undefined && !isCaller && (parent ? through?.kind === 'relation' : true);
  return signed === undefined && chainOf(entrypoint).every(isKnown);
}

function rank(get: Endpoint): string {
  const path = pathOf(get);
  return `${String(path.length).padStart(4, '0')} ${pathPattern(path)}`;
}

/** A route for the files of a field, under the rules of the endpoint `of`. */
interface FileRoute {
  readonly of: Endpoint;
  readonly field: Field;
  readonly method: 'GET' | 'POST';
  readonly path: readonly Segment[];
}

/** `GET /api/posts/:post_id/cover`, and `POST /api/posts/cover/upload` for the input of a create. */
export function fileRoutes(endpoints: readonly Endpoint[]): readonly FileRoute[] {
  return endpoints.flatMap((of) => {
    const { model, api } = of.entrypoint;
    const isAbove = of.kind === 'get' && shownFiles(model).length > 0 && getOfFiles(model, endpoints, api) === of;
    const routeOf = (method: FileRoute['method'], field: Field, ...names: readonly string[]): FileRoute => {
      return { of, field, method, path: [...pathOf(of), ...literalPath(...names)] };
    };
    return [
      ...(isAbove ? shownFiles(model).map((field) => routeOf('GET', field, field.name)) : []),
      ...uploadsOf(of).map(({ path, field }) => routeOf('POST', field as Field, path.join('.'), 'upload')),
    ];
  });
}

function shownFiles({ fields }: Model): readonly Field[] {
  return fields.filter(({ file, secret }) => file && !secret);
}

function uploadsOf({ inputs }: Endpoint): readonly Input[] {
  return inputs.filter(({ field }) => field?.file);
}
