/** What `kiln access` says, for the reference of the console. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { accessMatrix } from '../../compiler/difference/access-matrix.ts';
import type { ConsoleAccess } from '../../runtime/console/api/console-access.ts';

/** By `GET /api/post/{post_slug}`. */
export function consoleAccess(definition: Definition): Readonly<Record<string, ConsoleAccess>> {
  const rows = accessMatrix(definition).map(({ endpoint, access: { says, shows } }) => [
    endpoint,
    { rule: says, records: shows ?? null },
  ]);
  return Object.fromEntries(rows);
}
