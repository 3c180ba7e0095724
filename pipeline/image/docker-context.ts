/** Where Docker's command line finds its engine: in a context, unless DOCKER_HOST says it. Kiln asks the same engine. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ImageRefusal } from './image-refusal.ts';

interface EngineAddress {
  readonly socketPath?: string;
}

const SOCKET = 'unix://';

/** Empty where nothing is said: then the engine is at its usual place, or where DOCKER_HOST says. */
export function engineAddress(environment: NodeJS.ProcessEnv = process.env): EngineAddress {
  if (environment.DOCKER_HOST) return {};
  const folder = environment.DOCKER_CONFIG || join(homedir(), '.docker');
  const name = environment.DOCKER_CONTEXT || stringIn(jsonIn(join(folder, 'config.json')), 'currentContext');
  if (name === undefined || name === 'default') return {};
  const host = hostOf(folder, name);
  if (host === undefined) return {};
  if (host.startsWith(SOCKET)) return { socketPath: host.slice(SOCKET.length) };
  throw new ImageRefusal(
    `Docker's context \`${name}\` has its engine on another machine. Set DOCKER_HOST=${host} to use it, or DOCKER_CONTEXT=default for the engine of this one.`,
  );
}

/** Docker keeps each context in a folder that is called as the hash of its name. */
function hostOf(folder: string, name: string): string | undefined {
  const id = createHash('sha256').update(name).digest('hex');
  const context = jsonIn(join(folder, 'contexts/meta', id, 'meta.json'));
  const endpoints = context?.Endpoints as { readonly docker?: Record<string, unknown> } | undefined;
  return stringIn(endpoints?.docker, 'Host');
}

function stringIn(value: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined {
  const found = value?.[key];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** Whoever needs what is in it says that it cannot be read. */
function jsonIn(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

export const THIS_MACHINE = '127.0.0.1';

/** Where ports that the engine publishes are reached. */
export function engineHost({ DOCKER_HOST: host }: NodeJS.ProcessEnv = process.env): string {
  const address = /^(?:tcp|ssh|https?):\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)/.exec(host ?? '')?.[1];
  return address === undefined || /^(localhost|127\.[\d.]+|\[::1\])$/.test(address) ? THIS_MACHINE : address;
}

/** A push is tested through ports that only this machine reaches, for others may not look into it. */
export function mustBeOnThisMachine(environment: NodeJS.ProcessEnv = process.env): void {
  const address = engineHost(environment);
  if (address === THIS_MACHINE) return;
  throw new ImageRefusal(
    `The Docker engine is on ${address}, as DOCKER_HOST says, and a push is tested through ports of this machine. Use an engine here, or \`kiln build --test\` in a CI job.`,
  );
}
