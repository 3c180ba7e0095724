/**
 * A registry, through its own HTTP interface: for what a Docker engine cannot do, such as an image for several platforms.
 * What proves who is asking goes to the registry and to the token server that it names, and nowhere else.
 */
import { digestOf } from './layer.ts';
import { type Credentials, DOCKER_HUB, registryOf } from './registry-credentials.ts';
import { INDEX, MANIFEST } from './stored-image.ts';

export interface StoredManifest {
  readonly mediaType: string;
  readonly text: string;
}

const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const LONGEST_REQUEST = 600_000;

export class RegistryClient {
  readonly #address: string;
  readonly #credentials: Credentials | undefined;
  #authorization: string | undefined;

  /** `image` is a name without a tag. */
  constructor(image: string, credentials: Credentials | undefined) {
    this.#address = addressOf(image);
    this.#credentials = credentials;
  }

  /** Reads a manifest; undefined where there is no such tag or digest. */
  async manifest(reference: string): Promise<StoredManifest | undefined> {
    const response = await this.#ask(`manifests/${reference}`, { headers: { accept: MANIFESTS } }, [200, 404]);
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (reference.startsWith('sha256:')) mustBe(reference, text);
    return { mediaType: response.headers.get('content-type') ?? '', text };
  }

  async blob(digest: string): Promise<Buffer> {
    const response = await this.#ask(`blobs/${digest}`, {}, [200]);
    const bytes = Buffer.from(await response.arrayBuffer());
    mustBe(digest, bytes);
    return bytes;
  }

  /** Sends a blob, unless the registry has it already. */
  async putBlob(digest: string, bytes: Buffer): Promise<void> {
    const found = await this.#ask(`blobs/${digest}`, { method: 'HEAD' }, [200, 404]);
    if (found.status === 200) return;
    const begun = await this.#ask('blobs/uploads/', { method: 'POST' }, [202]);
    const place = new URL(begun.headers.get('location') ?? '', begun.url);
    place.searchParams.set('digest', digest);
    const headers = { 'content-type': 'application/octet-stream' };
    await this.#ask(place.href, { method: 'PUT', headers, body: new Uint8Array(bytes) }, [201]);
  }

  /** Whether the registry knows it as a file about another image, and lists it by itself. */
  async putManifest(reference: string, { mediaType, text }: StoredManifest): Promise<{ readonly isListed: boolean }> {
    const headers = { 'content-type': mediaType };
    const response = await this.#ask(`manifests/${reference}`, { method: 'PUT', headers, body: text }, [201]);
    return { isListed: response.headers.has('oci-subject') };
  }

  /** `where` is below the image, or an address that the registry has given. Other statuses than these are thrown. */
  async #ask(where: string, init: RequestInit, expected: readonly number[]): Promise<Response> {
    const url = where.startsWith('http') ? where : `${this.#address}/${where}`;
    let response = await this.#send(url, init);
    if (response.status === 401 && this.#isItself(response.url) && (await this.#isLetIn(response)))
      response = await this.#send(url, init);
    if (expected.includes(response.status)) return response;
    throw new Error(await reasonIn(response));
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    // An address elsewhere, such as that of a storage, is not told who is asking.
    const own = this.#isItself(url) && this.#authorization ? { authorization: this.#authorization } : {};
    return sent(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...own } });
  }

  #isItself(url: string): boolean {
    return new URL(url).origin === new URL(this.#address).origin;
  }

  /** Whether there is something new to say about who is asking. */
  async #isLetIn(refused: Response): Promise<boolean> {
    await refused.arrayBuffer();
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const authorization = /^bearer /i.test(challenge)
      ? await tokenFor(challenge, this.#credentials)
      : basic(this.#credentials);
    if (authorization === undefined || authorization === this.#authorization) return false;
    this.#authorization = authorization;
    return true;
  }
}

/** A registry, or what is between it and here, may give something else than what was asked for. */
function mustBe(digest: string, content: Buffer | string): void {
  if (digestOf(content) !== digest) throw new Error(`it gave something else than ${digest}`);
}

/** The address of a registry. As in Docker, only a registry on this machine is contacted without encryption. */
function addressOf(image: string): string {
  const registry = registryOf(image);
  if (registry === 'docker.io') return addressOf(image.slice(registry.length + 1));
  if (registry === DOCKER_HUB)
    return `https://registry-1.docker.io/v2/${image.includes('/') ? image : `library/${image}`}`;
  return `${isHere(registry) ? 'http' : 'https'}://${registry}/v2/${image.slice(registry.length + 1)}`;
}

function isHere(host: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/.test(host);
}

/** Whether passwords may be sent to the address. */
function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isHere(host));
}

function basic(credentials: Credentials | undefined): string | undefined {
  if (credentials === undefined || credentials.username === '') return undefined;
  return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
}

/**
 * Gets a token for a challenge such as
 * `Bearer realm="https://auth.example.org/token",service="registry.example.org",scope="repository:blog:pull,push"`
 */
async function tokenFor(challenge: string, credentials: Credentials | undefined): Promise<string | undefined> {
  const said = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]));
  const realm = said.get('realm');
  if (realm === undefined || !isSafe(realm)) return undefined;
  const about = [...said].filter(([key]) => key === 'service' || key === 'scope');
  const authorization = basic(credentials);
  const response = credentials?.identitytoken
    ? await sent(realm, refresh(credentials.identitytoken, about))
    : await sent(`${realm}?${new URLSearchParams(about)}`, authorization ? { headers: { authorization } } : {});
  if (!response.ok) throw new Error(await reasonIn(response));
  const { token, access_token } = (await response.json()) as { token?: string; access_token?: string };
  return `Bearer ${token ?? access_token ?? ''}`;
}

function refresh(token: string, about: readonly (readonly [string, string])[]): RequestInit {
  const words = { grant_type: 'refresh_token', refresh_token: token, client_id: 'kiln', ...Object.fromEntries(about) };
  return { method: 'POST', body: new URLSearchParams(words) };
}

async function sent(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(LONGEST_REQUEST) });
  } catch (error) {
    throw new Error(networkReason(error));
  }
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EHOSTUNREACH: 'network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

/** The reason in the words that Docker's engine uses for the same failure, which other functions can explain. */
function networkReason(error: unknown): string {
  const { cause, message } = error as Error & {
    readonly cause?: { readonly code?: string; readonly message?: string };
  };
  return NETWORK[cause?.code ?? ''] ?? cause?.message ?? message;
}

async function reasonIn(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  const said = messageIn(text);
  return `${response.status} ${response.statusText}${said === undefined ? '' : `: ${said}`}`;
}

function messageIn(text: string): string | undefined {
  try {
    const { errors } = JSON.parse(text) as { errors?: readonly { message?: string }[] };
    return errors?.[0]?.message;
  } catch {
    return undefined;
  }
}

// ── Attach files ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Files about an image, beside it in its registry: artifacts whose `subject` is the image, as OCI calls it. A registry that
// knows such referrers lists them by itself; for others there is a tag `sha256-<digest>` with a list that clients keep.

export interface AttachedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly artifactType?: string;
}

const EMPTY = 'application/vnd.oci.empty.v1+json';
/** `name` is that of an image, without a tag; its manifest has this digest there. */
export async function attachFiles(
  name: string,
  digest: string,
  files: readonly AttachedFile[],
  credentials: Credentials | undefined,
): Promise<void> {
  const client = new RegistryClient(name, credentials);
  const subject = await subjectOf(client, digest);
  const unlisted: Descriptor[] = [];
  for (const file of files) {
    const { descriptor, isListed } = await attachFile(client, subject, file);
    if (!isListed) unlisted.push(descriptor);
  }
  if (unlisted.length > 0) await list(client, digest, unlisted);
}

async function subjectOf(client: RegistryClient, digest: string): Promise<Descriptor> {
  const manifest = await client.manifest(digest);
  if (manifest === undefined) throw new Error(`it has no image ${digest}`);
  return { mediaType: manifest.mediaType, digest, size: Buffer.byteLength(manifest.text) };
}

/** `isListed` says that the registry lists it by itself. */
async function attachFile(client: RegistryClient, subject: Descriptor, file: AttachedFile) {
  const { mediaType, text, name } = file;
  for (const blob of ['{}', text]) await client.putBlob(digestOf(blob), Buffer.from(blob));
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    artifactType: mediaType,
    config: { mediaType: EMPTY, digest: digestOf('{}'), size: 2 },
    layers: [
      {
        mediaType,
        digest: digestOf(text),
        size: Buffer.byteLength(text),
        annotations: { 'org.opencontainers.image.title': name },
      },
    ],
    subject,
  });
  const digest = digestOf(manifest);
  const { isListed } = await client.putManifest(digest, { mediaType: MANIFEST, text: manifest });
  const size = Buffer.byteLength(manifest);
  return { descriptor: { mediaType: MANIFEST, digest, size, artifactType: mediaType }, isListed };
}

/** Adds to the list of referrers; entries of others stay. */
async function list(client: RegistryClient, digest: string, added: readonly Descriptor[]): Promise<void> {
  const tag = digest.replace(':', '-');
  const found = await client.manifest(tag);
  const { manifests: known = [] } = JSON.parse(found?.text ?? '{}') as { manifests?: readonly Descriptor[] };
  const digests = new Set(known.map((each) => each.digest));
  const missing = added.filter((each) => !digests.has(each.digest));
  if (missing.length === 0) return;
  const index = { schemaVersion: 2, mediaType: INDEX, manifests: [...known, ...missing] };
  await client.putManifest(tag, { mediaType: INDEX, text: JSON.stringify(index) });
}
