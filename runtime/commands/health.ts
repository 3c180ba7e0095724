import { get } from 'node:http';
import { HEALTH } from '../../compiler/definition/contract/routes.ts';
import type { Command } from './command.ts';

/** `health`: whether the server in this container is alive, for the engine that runs it. */
export const health: Command = (environment) =>
  new Promise((resolve) => {
    const request = get(
      { host: '127.0.0.1', port: environment.PORT || 3000, path: `/${HEALTH}`, timeout: 3000 },
      (response) => resolve(response.resume().statusCode === 200 ? 0 : 1),
    );
    request.once('timeout', () => request.destroy()).once('error', () => resolve(1));
  });
