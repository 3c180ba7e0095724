/** Where files are uploaded, and where they are read. */
import { literalPath, pathPattern, type Segment } from '../definition/contract/routes.ts';
import { chainOf, pathOf } from './endpoint-path.ts';
import type { Endpoint, Entrypoint, Field, Input, Selected, Variable } from './program.ts';

/**
 * The get endpoint below which a file is: of the same API if there is one, the one with the shortest path. Its response
 * must show the file, and all parts of its path must be known from the record alone.
 */
export function getOfFile(
  field: Field,
  endpoints: readonly Endpoint[],
  api: string | null = null,
): Endpoint | undefined {
  const gets = endpoints.filter((each) => shownFiles(each).has(field) && hasAddress(each));
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
    const shown = [...shownFiles(of)].filter((field) => getOfFile(field, endpoints, of.entrypoint.api) === of);
    const routeOf = (method: FileRoute['method'], field: Field, ...names: readonly string[]): FileRoute => {
      return { of, field, method, path: [...pathOf(of), ...literalPath(...names)] };
    };
    return [
      ...shown.map((field) => routeOf('GET', field, field.name)),
      ...uploadsOf(of).map(({ path, field }) => routeOf('POST', field as Field, path.join('.'), 'upload')),
    ];
  });
}

/** The files that a get shows of its record: whoever may not see one in the response may not read it either. */
function shownFiles({ kind, response = [], answer }: Endpoint): ReadonlySet<Field> {
  return new Set(kind === 'get' ? response.flatMap((selected) => ownFile(selected, answer) ?? []) : []);
}

/** The file of the record itself, and not of another one, that a property shows. */
function ownFile(selected: Selected, record: Variable | undefined): Field | undefined {
  if (selected.kind !== 'value' || selected.value.kind !== 'path') return undefined;
  const { root, steps } = selected.value;
  const [field, ...others] = steps;
  const isOwn = root.kind === 'row' || (root.kind === 'variable' && root.variable === record);
  return isOwn && field?.kind === 'field' && field.file && others.length === 0 ? field : undefined;
}

function uploadsOf({ inputs }: Endpoint): readonly Input[] {
  return inputs.filter(({ field }) => field?.file);
}
