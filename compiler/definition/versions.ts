import type { Endpoint } from './endpoint.ts';

/** Whether `If-Match` decides if a request may change the record. */
export function isConditional({ versioned, method, cardinality }: Endpoint): boolean {
  return versioned === true && cardinality === 'one' && method !== 'GET';
}
