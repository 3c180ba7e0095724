/**
 * Files about an image, beside it in its registry: artifacts whose `subject` is the image, as OCI calls it. A registry that
 * knows such referrers lists them by itself; for others there is a tag `sha256-<digest>` with a list that clients keep.
 */
import { digestOf } from './layer.ts';
import { RegistryClient } from './registry-client.ts';
import type { Credentials } from './registry-credentials.ts';
import { INDEX, MANIFEST } from './stored-image.ts';

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

interface ImageIndex {
  readonly schemaVersion: 2;
  readonly mediaType: string;
  readonly manifests: readonly Descriptor[];
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

interface Attached {
  readonly descriptor: Descriptor;
  /** The registry lists it by itself. */
  readonly isListed: boolean;
}

async function attachFile(client: RegistryClient, subject: Descriptor, file: AttachedFile): Promise<Attached> {
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

/** What others have listed stays. */
async function list(client: RegistryClient, digest: string, added: readonly Descriptor[]): Promise<void> {
  const tag = digest.replace(':', '-');
  const known = await listed(client, tag);
  const digests = new Set(known.map((each) => each.digest));
  const missing = added.filter((each) => !digests.has(each.digest));
  if (missing.length === 0) return;
  const index: ImageIndex = { schemaVersion: 2, mediaType: INDEX, manifests: [...known, ...missing] };
  await client.putManifest(tag, { mediaType: INDEX, text: JSON.stringify(index) });
}

async function listed(client: RegistryClient, tag: string): Promise<readonly Descriptor[]> {
  const found = await client.manifest(tag);
  return found === undefined ? [] : ((JSON.parse(found.text) as Partial<ImageIndex>).manifests ?? []);
}
