import { createServer } from 'node:net';
import type { Config } from '../../runtime/config/config.ts';

/**
 * Throws what listening there would throw. Asked before anything is started or written: a port that is taken is most
 * often a server that was forgotten, and nobody expects its database to have changed meanwhile.
 */
export function ensureFreePort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}
