/** How long a campaign runs. A number of requests makes a run that does not depend on the speed of the machine. */
export type Limit = { readonly seconds: number } | { readonly requests: number };

/** From now on. */
export function overAfter(limit: Limit, requests: () => number): () => boolean {
  if ('requests' in limit) return () => requests() >= limit.requests;
  const end = performance.now() + limit.seconds * 1000;
  return () => performance.now() >= end;
}
