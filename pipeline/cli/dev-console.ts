/** The console of `kiln dev`: with data and requests, for this machine alone. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../../runtime/config/config.ts';
import type { ConsoleOptions } from '../../runtime/console/api/console-options.ts';
import { consoleAccess } from './console-access.ts';

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

export function devConsole({ host }: Config, own: Pick<ConsoleOptions, 'actions' | 'changes'>): ConsoleOptions {
  const bound = host.includes(':') ? `[${host}]` : host;
  return {
    key: randomBytes(24).toString('base64url'),
    place: 'root',
    hosts: [...LOCAL, bound.toLowerCase()],
    access: consoleAccess,
    ...own,
  };
}
