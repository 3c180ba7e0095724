/** Requests that another service signs. Each is done once: its id is remembered in a table of Kiln's own. */
import type { Definition } from './definition.ts';
import type { Endpoint } from './endpoint.ts';

export type SignatureScheme = NonNullable<Endpoint['signed']>['by'];

/** The headers that a signed request has, by its scheme. */
export const SIGNATURE_HEADERS: Readonly<Record<SignatureScheme, readonly string[]>> = {
  standard: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  stripe: ['stripe-signature'],
  github: ['x-hub-signature-256', 'x-github-delivery'],
};

/** The table of the requests that were done. No name of an author begins with `kiln_`. */
export const RECEIVED = 'kiln_received';

export function takesSigned({ endpoints }: Definition): boolean {
  return endpoints.some(({ signed }) => signed);
}

/** The settings that are secrets of Standard Webhooks: `whsec_` and at least 16 bytes in Base64. */
export function standardSecrets({ endpoints = [] }: Partial<Definition>): ReadonlySet<string> {
  return new Set(endpoints.flatMap(({ signed }) => (signed?.by === 'standard' ? [signed.secret] : [])));
}
