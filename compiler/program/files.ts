/** Where files are uploaded, and where they are read. */
import { literalPath, pathPattern, type Segment } from '../definition/contract/routes.ts';
import { chainOf, pathOf } from './endpoint-path.ts';
import type { Endpoint, Entrypoint, Field, Selected, Variable } from './program.ts';

/**
 * The get endpoint below which a file has its address: that of `own`, the entrypoint whose record shows the file. Another
 * place shows the record of anybody: the address is of the same API if that has one, and the one with the shortest path.
 */
export function getOfFile(
  field: Field,
  endpoints: readonly Endpoint[],
  api: string | null = null,
  own?: Entrypoint,
): Endpoint | undefined {
  const gets = endpoints.filter((each) => shownFiles(each).has(field));
  const ofAll = gets.filter(({ entrypoint }) => !chainOf(entrypoint).some(({ isCaller }) => isCaller));
  const inApi = ofAll.filter(({ entrypoint }) => entrypoint.api === api);
  const [first] = (inApi.length > 0 ? inApi : ofAll).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return gets.find(({ entrypoint }) => entrypoint === own) ?? first;
}

/** Whether the record, and the caller, tell all parts of its path: a relation leads back to the record above. */
function hasAddress({ entrypoint, signed }: Endpoint): boolean {
  const chain = chainOf(entrypoint);
  const first = chain.findIndex(({ identify }) => identify);
  return !signed && (first < 0 || chain.slice(first + 1).every(({ through }) => through?.kind === 'relation'));
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
    const routeOf = (method: FileRoute['method'], field: Field, ...names: readonly string[]): FileRoute => {
      return { of, field, method, path: [...pathOf(of), ...literalPath(...names)] };
    };
    return [
      ...[...shownFiles(of)].map((field) => routeOf('GET', field, field.name)),
      ...of.inputs.flatMap(({ path, field }) => (field?.file ? routeOf('POST', field, path.join('.'), 'upload') : [])),
    ];
  });
}

/** The files that a get gives addresses: whoever may not see one in its response may not read it either. */
function shownFiles(endpoint: Endpoint): ReadonlySet<Field> {
  const shown = endpoint.kind === 'get' && hasAddress(endpoint) ? endpoint.response : [];
  return new Set(shown?.flatMap((selected) => ownFile(selected, endpoint.answer) ?? []));
}

/** The file of the record itself, and not of another one, that a property shows. */
export function ownFile(selected: Selected, record?: Variable): Field | undefined {
  if (selected.kind !== 'value' || selected.value.kind !== 'path') return undefined;
  const { root, steps } = selected.value;
  const [field, ...others] = steps;
  const isOwn = root.kind === 'row' || (root.kind === 'variable' && root.variable === record);
  return isOwn && field?.kind === 'field' && field.file && others.length === 0 ? field : undefined;
}
