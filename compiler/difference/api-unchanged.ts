/** Which endpoints callers cannot tell apart. */
import type { Definition } from '../definition/definition.ts';
import { serializableEndpoints } from '../definition/serializable.ts';
import type { Route } from './api-routes.ts';
import type { Both } from './api-rules.ts';
import { untouchedBetween } from './touched.ts';

/** It may say of an endpoint that has not changed that it has, but never the other way round. */
export function unchangedIn({ before, after }: Both<Definition>): (routes: Both<Route>) => boolean {
  const isUntouched = untouchedBetween(before, after);
  const [former, latter] = [serializableEndpoints(before), serializableEndpoints(after)];
  return (routes) => {
    const [earlier, later] = [routes.before.endpoint, routes.after.endpoint];
    return former.has(earlier.id) === latter.has(later.id) && isUntouched(earlier, later);
  };
}
