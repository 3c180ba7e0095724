import type { Config } from '../../runtime/config/config.ts';

/** Why the server cannot listen, in a sentence; nothing where the error says something else. */
export function listenRefusal(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): string | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : REASONS[code]?.({ host, port });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isOfListening = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
  return isOfListening && 'code' in error ? String(error.code) : codeOf(error.cause);
}

type Address = Pick<Config, 'host' | 'port'>;

const REASONS: Readonly<Record<string, (address: Address) => string>> = {
  EADDRINUSE: ({ port }) => `the port ${port} is in use; choose another one with \`--port\``,
  EACCES: ({ port }) => `the port ${port} is not for everybody; choose one above 1023 with \`--port\``,
  EADDRNOTAVAIL: ({ host }) => `\`${host}\` is no address of this machine`,
  EINVAL: ({ host }) => `\`${host}\` is no address of this machine`,
  ENOTFOUND: ({ host }) => `there is no host \`${host}\``,
  EAI_AGAIN: ({ host }) => `the host \`${host}\` cannot be looked up`,
};
