/** The console of `kiln dev`, with data and requests. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../../runtime/config/config.ts';
import type { ConsoleOptions } from '../../runtime/console/api/console-options.ts';
import { consoleAccess } from './console-access.ts';

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** Any client on the network can send any `Host`, so the page has the key only where no other machine can reach it. */
export function devConsole({ host }: Pick<Config, 'host'>): ConsoleOptions {
  const bound = (host.includes(':') ? `[${host}]` : host).toLowerCase();
  const key = randomBytes(24).toString('base64url');
  const isLocal = LOCAL.includes(bound) || /^127(\.\d+){3}$/.test(bound);
  return {
    key,
    place: 'root',
    ...(isLocal ? { hosts: [...LOCAL, bound] } : { isKeyPrinted: true }),
    access: consoleAccess,
  };
}
