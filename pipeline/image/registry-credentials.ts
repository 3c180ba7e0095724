/**
 * The credentials for a registry, from where Docker stores them: its configuration, or a program that it names there.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { engineRefusal, ImageRefusal, reasonOf } from './image-refusal.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** The token that a registry has issued, instead of a password. */
  readonly identitytoken?: string;
  readonly serveraddress: string;
}

interface KeptAccess {
  readonly auth?: string;
  readonly identitytoken?: string;
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, KeptAccess>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

export const DOCKER_HUB = 'https://index.docker.io/v1/';

/** `ghcr.io` of `ghcr.io/acme/blog`; Docker Hub where the first part is no host. */
export function registryOf(image: string): string {
  const [first = ''] = image.split('/');
  const isHost = image.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  return isHost ? first : DOCKER_HUB;
}

/**
 * `ghcr.io/acme/blog:1`, or with a digest behind `@`. A host may have a port, so the tag is behind the last part of the
 * path.
 */
export function partsOfName(name: string): { readonly repository: string; readonly reference: string } {
  const [tagged = name, digest] = name.split('@');
  const [, repository = tagged, tag = 'latest'] = /^(.+):([^/:]+)$/.exec(tagged) ?? [];
  return { repository, reference: digest ?? tag };
}

/** Finds the credentials; undefined where there are none: many registries on a private network ask for none. */
export function credentialsFor(image: string, environment: NodeJS.ProcessEnv = process.env): Credentials | undefined {
  const registry = registryOf(image);
  const config = dockerConfig(environment);
  const helper = config.credHelpers?.[registry] ?? config.credsStore;
  if (helper !== undefined) return fromHelper(helper, registry);
  const kept = config.auths?.[registry] ?? config.auths?.[`https://${registry}`];
  return kept === undefined ? undefined : fromKept(kept, registry);
}

function dockerConfig(environment: NodeJS.ProcessEnv): DockerConfig {
  const file = join(environment.DOCKER_CONFIG || join(homedir(), '.docker'), 'config.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DockerConfig;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    // The cause is left out: a parser quotes what it cannot read.
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new ImageRefusal(
      `${file}, where Docker keeps the credentials for registries, ${why}. Run \`docker login\` again.`,
    );
  }
}

function fromKept({ auth = '', identitytoken }: KeptAccess, serveraddress: string): Credentials | undefined {
  if (identitytoken) return { username: '', password: '', identitytoken, serveraddress };
  const [username = '', ...password] = Buffer.from(auth, 'base64').toString('utf8').split(':');
  return username === '' ? undefined : { username, password: password.join(':'), serveraddress };
}

/** It answers in JSON; what it says when it has nothing is not for others to read. */
function fromHelper(helper: string, serveraddress: string): Credentials | undefined {
  const program = `docker-credential-${helper}`;
  const { error, status, stdout } = spawnSync(program, ['get'], { input: serveraddress, encoding: 'utf8' });
  if (error) {
    const what = `Docker's configuration names \`${program}\` for ${serveraddress}, which cannot be run`;
    throw new ImageRefusal(`${what}. Install it, or take it out of the configuration.`);
  }
  return status === 0 ? fromAnswer(stdout, program, serveraddress) : undefined;
}

/** The name `<token>` says that there is no password, but a token. */
function fromAnswer(answer: string, program: string, serveraddress: string): Credentials {
  try {
    const { Username, Secret } = JSON.parse(answer) as { readonly Username: string; readonly Secret: string };
    if (Username === '<token>') return { username: '', password: '', identitytoken: Secret, serveraddress };
    return { username: Username, password: Secret, serveraddress };
  } catch {
    throw new ImageRefusal(
      `\`${program}\` was called for the credentials of ${serveraddress}, but its output is not JSON.`,
    );
  }
}

// ── Registry refusal ─────────────────────────────────────────────────────────────────────────────────────────────────

// Why a registry did not take an image, and what helps. What it was told to prove who is asking is never repeated.

/** `what` begins the sentence where the reason is a known one; `act` is what an engine was doing otherwise. */
export function registryFailure(
  what: string,
  name: string,
  credentials: Credentials | undefined,
  cause: unknown,
  act?: string,
): ImageRefusal {
  const why = withoutSecrets(reasonOf(cause), credentials);
  const found = KINDS.find(({ said }) => said.test(why));
  if (!found) return act === undefined ? new ImageRefusal(`${what}: ${why}`) : engineRefusal(act, new Error(why));
  const registry = registryOf(name);
  const host = registry === DOCKER_HUB ? 'Docker Hub' : registry;
  const login = `docker login${registry === DOCKER_HUB ? '' : ` ${registry}`}`;
  // The error is not passed on as the cause: it would carry the text from before secrets were removed.
  return new ImageRefusal(`${what}: ${found.sentence({ host, login, isKnown: credentials !== undefined })} (${why})`);
}

interface Refused {
  readonly host: string;
  readonly login: string;
  /** Docker keeps credentials for the registry. */
  readonly isKnown: boolean;
}

const KINDS: readonly { readonly said: RegExp; readonly sentence: (refused: Refused) => string }[] = [
  {
    said: /unauthorized|no basic auth|authentication required|denied|incorrect username|403 Forbidden|401 Unauthorized/i,
    sentence: ({ host, login, isKnown }) =>
      isKnown
        ? `${host} rejects the user in Docker's configuration. Run \`${login}\` with a user who may push there.`
        : `${host} requires a login. Run \`${login}\` first.`,
  },
  {
    said: /HTTP response to HTTPS client|certificate|x509|tls:/i,
    sentence: ({ host }) =>
      `${host} cannot be trusted. Give it a certificate that the machine of the Docker engine knows, or list it under \`insecure-registries\` there.`,
  },
  {
    said: /connection refused|no such host|i\/o timeout|network is unreachable|Client\.Timeout|dial tcp|server misbehaving|: EOF$/i,
    sentence: ({ host }) =>
      `${host} does not respond. Check that the machine of the Docker engine can reach it, and that the name is right.`,
  },
  {
    said: /read.?only|unsupported|method not allowed|HTTP 405|503 Service Unavailable/i,
    sentence: ({ host }) => `${host} accepts no images now. It may be read-only for maintenance: try again later.`,
  },
];

export function withoutSecrets(text: string, credentials: Credentials | undefined): string {
  const secrets = credentials ? [credentials.password, credentials.identitytoken].filter((secret) => secret) : [];
  return secrets.reduce<string>((left, secret) => left.replaceAll(secret as string, '***'), text);
}
