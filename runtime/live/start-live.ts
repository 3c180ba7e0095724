/** Live lists of the application that is served. Nothing is read for them until there is one. */

import { LIVE_PATH } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { liveLists } from '../../compiler/definition/live.ts';
import type { EndpointRoute } from '../endpoints/endpoint-route.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Metrics } from '../observe/metrics.ts';
import { type Answer, type Exchange, plainRoute, type Route } from '../request/exchange.ts';
import type { LiveRequest } from '../request/live-request.ts';
import { queryParameters } from '../request/query-string.ts';
import { requestTargetFrom } from '../request/request-target.ts';
import { Router } from '../request/router.ts';
import { LiveLists, type LiveOptions } from './live-lists.ts';

export interface Live {
  open(request: LiveRequest, exchange: Exchange): Promise<Answer>;
  /** The route of several lists on one connection, where any list is live. */
  routes(lists: readonly EndpointRoute[]): readonly Route[];
  changed(): void;
  replace(definition: Definition): void;
  stop(): Promise<void>;
}

export function startLive(definition: Definition, options: LiveOptions & { readonly metrics: Metrics }): Live {
  let lists: LiveLists | null = null;
  const current = (): LiveLists => {
    if (lists) return lists;
    const made = new LiveLists(options);
    options.metrics.watchLive(() => made.state);
    lists = made;
    return made;
  };
  const replace = (next: Definition): void => {
    lists?.endAll(0);
    if (liveLists(next).length > 0) current();
  };
  replace(definition);
  return {
    open: (...asked) => current().open(...asked),
    routes: (endpoints) => (endpoints.length === 0 ? [] : [routeOf(endpoints, current)]),
    changed: () => lists?.nudge(),
    replace,
    stop: async () => lists?.stop(),
  };
}

const MOST_LISTS = 32;
const LIST: ReadonlySet<string> = new Set(['list']);

function routeOf(endpoints: readonly EndpointRoute[], current: () => LiveLists): Route {
  const router = new Router(endpoints);
  const requestFor = (url: string, exchange: Exchange): LiveRequest | ApiError => {
    const { path, queryString } = requestTargetFrom(url);
    const match = router.find('GET', path);
    const follow = match?.target.follow;
    if (!match || !follow)
      return new ApiError('not-found', { detail: `No live list has the path ${path.slice(0, 200)}.` });
    return follow(exchange.at(match.params, queryString));
  };
  return plainRoute('GET', LIVE_PATH, async (exchange) => {
    const { list = [] } = queryParameters(exchange.queryString, LIST);
    const urls = list as readonly string[];
    if (urls.length === 0 || urls.length > MOST_LISTS)
      throw new ApiError('malformed-request', { detail: `\`list\` is given for 1 to ${MOST_LISTS} lists.` });
    return current().openAll(
      urls.map((url) => requestFor(url, exchange)),
      exchange,
    );
  });
}
