/** The console of `kiln dev`: with data and requests, for this machine alone. */
import { randomBytes } from 'node:crypto';
import type { Definition } from '../../compiler/definition/definition.ts';
import { accessMatrix } from '../../compiler/difference/access-matrix.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { ConsoleAccess, ConsoleOptions } from '../../runtime/console/api/console-options.ts';

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

export function devConsole({ host }: Config, own: Pick<ConsoleOptions, 'actions' | 'changes'>): ConsoleOptions {
  const bound = host.includes(':') ? `[${host}]` : host;
  return {
    key: randomBytes(24).toString('base64url'),
    place: 'root',
    hosts: [...LOCAL, bound.toLowerCase()],
    access: accessOf,
    ...own,
  };
}

function accessOf(definition: Definition): Readonly<Record<string, ConsoleAccess>> {
  const rows = accessMatrix(definition).map(({ endpoint, access: { says, shows } }) => [
    endpoint,
    { rule: says, records: shows ?? null },
  ]);
  return Object.fromEntries(rows);
}
