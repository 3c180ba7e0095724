/** Why a registry did not take an image, and what helps. What it was told to prove who is asking is never repeated. */
import { engineRefusal, reasonOf } from './engine-refusal.ts';
import { ImageRefusal } from './image-refusal.ts';
import { type Credentials, DOCKER_HUB, registryOf } from './registry-credentials.ts';

export function pushRefusal(name: string, credentials: Credentials | undefined, cause: unknown): ImageRefusal {
  return registryFailure(`${name} is not pushed`, name, credentials, cause, `pushing ${name}`);
}

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
  // Not as the cause: it would carry what was said before secrets were taken out.
  return new ImageRefusal(`${what}: ${found.sentence({ host, login, isKnown: credentials !== undefined })} (${why})`);
}

interface Refused {
  readonly host: string;
  readonly login: string;
  /** Docker keeps credentials for the registry. */
  readonly isKnown: boolean;
}

interface RefusalKind {
  readonly said: RegExp;
  readonly sentence: (refused: Refused) => string;
}

const KINDS: readonly RefusalKind[] = [
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
