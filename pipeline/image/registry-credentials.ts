/** What a registry asks for, from where Docker keeps it: its configuration, or a program that it names there. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ImageRefusal } from './image-refusal.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly serveraddress: string;
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, { readonly auth?: string }>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

const DOCKER_HUB = 'https://index.docker.io/v1/';

/** `ghcr.io` of `ghcr.io/acme/blog`; Docker Hub where the first part is no host. */
export function registryOf(image: string): string {
  const [first = ''] = image.split('/');
  const isHost = image.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  return isHost ? first : DOCKER_HUB;
}

/** Nothing where none are kept: many registries on a private network ask for none. */
export function credentialsFor(image: string, environment: NodeJS.ProcessEnv = process.env): Credentials | undefined {
  const registry = registryOf(image);
  const config = dockerConfig(environment);
  const helper = config.credHelpers?.[registry] ?? config.credsStore;
  if (helper !== undefined) return fromHelper(helper, registry);
  const kept = config.auths?.[registry]?.auth ?? config.auths?.[`https://${registry}`]?.auth;
  return kept === undefined ? undefined : fromText(kept, registry);
}

function dockerConfig(environment: NodeJS.ProcessEnv): DockerConfig {
  const file = join(environment.DOCKER_CONFIG ?? join(homedir(), '.docker'), 'config.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DockerConfig;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ImageRefusal(`${file} cannot be read, where Docker keeps what registries ask for.`, { cause });
  }
}

function fromText(kept: string, serveraddress: string): Credentials {
  const [username = '', ...password] = Buffer.from(kept, 'base64').toString('utf8').split(':');
  return { username, password: password.join(':'), serveraddress };
}

/** It answers in JSON; what it says when it has nothing is not for others to read. */
function fromHelper(helper: string, serveraddress: string): Credentials | undefined {
  try {
    const answer = execFileSync(`docker-credential-${helper}`, ['get'], {
      input: serveraddress,
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const { Username, Secret } = JSON.parse(answer) as { readonly Username: string; readonly Secret: string };
    return { username: Username, password: Secret, serveraddress };
  } catch {
    return undefined;
  }
}
