/** How the tree of methods is made from the table of routes. */

export const ROUTE_TYPES = `interface Route {
  /** The method and the path. */
  readonly route: string;
  /** Where the input goes. */
  readonly takes?: 'query' | 'body';
  /** JSON where nothing is said. */
  readonly gives?: 'page' | 'nothing' | 'response';
  /** A status other than 2xx that the endpoint answers with by itself. */
  readonly status?: number | 'any';
  readonly token?: 'given' | 'ended';
}

interface Routes {
  readonly [name: string]: Route | Routes;
}

type PathValue = string | number | boolean;
`;

export interface TreeFeatures {
  readonly hasPages: boolean;
}

export function treeText({ hasPages }: TreeFeatures): string {
  return hasPages ? `${TREE}\n${PAGED}\n${PAGES}` : `${TREE}\n${UNPAGED}`;
}

const TREE = `export function createClient(options: ClientOptions): Client {
  return withMembers({}, ROUTES, [], new Connection(options)) as Client;
}

/** Own properties, so that the names of the API win over those that a function has by itself. Tests can replace them. */
function withMembers(target: object, routes: Routes, values: readonly PathValue[], connection: Connection): object {
  for (const [name, entry] of Object.entries(routes)) {
    if (name === '()') continue;
    const value = isRoute(entry) ? methodFrom(entry, values, connection) : groupFrom(entry, values, connection);
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return target;
}

function isRoute(entry: Route | Routes): entry is Route {
  return typeof entry['route'] === 'string';
}

function groupFrom(routes: Routes, values: readonly PathValue[], connection: Connection): object {
  const one = routes['()'] as Routes | undefined;
  if (one === undefined) return withMembers({}, routes, values, connection);
  const find = (value: PathValue) => withMembers({}, one, [...values, value], connection);
  return withMembers(find, routes, values, connection);
}
`;

const METHOD = `  const perform = async (args: readonly unknown[]): Promise<Success<unknown>> => {
    const [input, options] = route.takes === undefined ? [undefined, args[0]] : args;
    return connection.call(route, values, input, (options ?? {}) as CallOptions);
  };
  const method = async (...args: readonly unknown[]): Promise<unknown> => (await perform(args)).data;
  const result = (...args: readonly unknown[]) => perform(args).catch(failureFrom);
`;

const UNPAGED = `function methodFrom(route: Route, values: readonly PathValue[], connection: Connection): object {
${METHOD}  return Object.assign(method, { result });
}
`;

const PAGED = `function methodFrom(route: Route, values: readonly PathValue[], connection: Connection): object {
${METHOD}  return Object.assign(method, { result }, route.gives === 'page' ? { all: everyRecordOf(method) } : {});
}
`;

const PAGES = `function everyRecordOf(list: (query: PageQuery, options: unknown) => Promise<unknown>): object {
  return async function* all(query: PageQuery = {}, options?: unknown): AsyncGenerator<unknown, void, undefined> {
    for (let page = query.page ?? 1; ; page++) {
      const { data, totalPages } = (await list({ ...query, page }, options)) as Page<unknown>;
      yield* data;
      if (page >= totalPages || data.length === 0) return;
    }
  };
}
`;
