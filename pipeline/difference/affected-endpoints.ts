/** The endpoints of a definition whose requests may cost something else than before: few of many, most often. */
import type { Definition, Endpoint } from '../../compiler/definition/definition.ts';
import { untouchedBetween } from '../../compiler/difference/touched.ts';

/** Those that changed, those that are new, and those that read what has changed. */
export function affectedEndpoints(before: Definition, after: Definition): readonly Endpoint[] {
  const earlier = new Map(before.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const isUntouched = untouchedBetween(before, after);
  return after.endpoints.filter((endpoint) => {
    const former = earlier.get(endpoint.id);
    return former === undefined || !isUntouched(former, endpoint);
  });
}
