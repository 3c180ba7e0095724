/** The files that a build leaves beside its release about the origin of its image: what it is made of, and by what. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemReason } from '../../files/system-reason.ts';
import { type DockerEngine, filesInImage } from '../image/docker-engine.ts';
import { type BaseImage, baseDigest } from '../image/image-config.ts';
import { digestOf, filesInLayers, hexOf } from '../image/layer.ts';
import type { OwnBase } from '../image/own-node.ts';
import { type AttachedFile, attachFiles } from '../image/registry-client.ts';
import { credentialsFor, partsOfName, registryOf, withoutSecrets } from '../image/registry-credentials.ts';
import { jsonFrom } from '../ledger/shapes.ts';
import type { Steps } from '../smoke/steps.ts';
import { BuildRefusal, kilnVersion } from './build-names.ts';
import type { BuildInput, RecordedBuild } from './build-release.ts';
import { applicationSbom, baseSbom, baseSystem, SYSTEM_FILES, spdxText } from './sbom.ts';

/** The files for `writeBuildFiles` and for registries. */
export interface ProvenanceFiles extends Readonly<Record<string, string>> {
  readonly 'sbom.cdx.json': string;
  readonly 'provenance.json': string;
}

export interface MadeImage {
  /** The digest of its configuration. */
  readonly id: string;
  /** The digest in each registry that took the image, by the name of the image. */
  readonly digests: Readonly<Record<string, string>>;
  readonly base: BaseImage;
  /** `sbom.cdx.json` of the runtime in the base; null where it has none. */
  readonly runtimeSbom: string | null;
}

/** Makes the files. With `key`, the provenance is included a second time, signed. */
export function provenanceFiles(
  input: BuildInput,
  built: RecordedBuild,
  image: MadeImage,
  key?: KeyObject,
): ProvenanceFiles {
  const { title, packages, commit } = built;
  const version = input.revision.slice(0, 12);
  const sbom = applicationSbom({ title, version, runtime: image.runtimeSbom, hooks: packages });
  const provenance = provenanceText(input, built, image, sbom);
  const signed = key === undefined ? {} : { [SIGNED_PROVENANCE]: envelopeOf(provenance, key) };
  const spdx = spdxText(sbom, new Date(commit.time * 1000));
  return { 'sbom.cdx.json': sbom, 'sbom.spdx.json': spdx, 'provenance.json': provenance, ...signed };
}

// ── Provenance ───────────────────────────────────────────────────────────────────────────────────────────────────────

// The statement of what an image was made of and by what: an in-toto statement with a SLSA provenance. It has no time
// and no machine, so the same build gives the same statement.

/** These name Kiln and the form of what follows; nothing is served there. */
const BUILD_TYPE = 'urn:kiln:build:v1';
const BUILDER = 'urn:kiln:builder';

function provenanceText(input: BuildInput, built: RecordedBuild, image: MadeImage, sbom: string): string {
  const { branch, folder, revision } = input;
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjectsOf(built, image),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { revision, branch, folder },
        resolvedDependencies: dependenciesOf(built, image),
      },
      runDetails: {
        builder: { id: BUILDER, version: { kiln: kilnVersion } },
        byproducts: [{ name: 'sbom.cdx.json', digest: { sha256: hexOf(digestOf(sbom)) } }],
      },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

/** The image by its own id, and by the digests that registries know it by. */
function subjectsOf({ application }: RecordedBuild, { id, digests }: MadeImage): readonly unknown[] {
  const pushed = Object.entries(digests).sort(([one], [other]) => (one < other ? -1 : 1));
  return [[application, id] as const, ...pushed].map(([name, digest]) => ({ name, digest: { sha256: hexOf(digest) } }));
}

function dependenciesOf({ source, commit, recorded }: RecordedBuild, { base }: MadeImage): readonly unknown[] {
  const { revision } = commit;
  return [
    {
      name: 'source',
      ...(source === null ? {} : { uri: `git+${source}@${revision}` }),
      digest: { gitCommit: revision },
    },
    { name: 'ledger', digest: { gitCommit: recorded } },
    { name: 'base', digest: { sha256: hexOf(baseDigest(base)) } },
  ];
}

// ── Attach provenance ────────────────────────────────────────────────────────────────────────────────────────────────

export const SIGNED_PROVENANCE = 'provenance.dsse.json';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  'sbom.cdx.json': 'application/vnd.cyclonedx+json',
  'sbom.spdx.json': 'application/spdx+json',
  'provenance.json': 'application/vnd.in-toto+json',
  [SIGNED_PROVENANCE]: 'application/vnd.dsse.envelope.v1+json',
};

/**
 * Puts them beside an image in each registry that took it. `digests` are by name. A registry that does not take them has
 * the image all the same, so that is said in a sentence and nothing else.
 */
export async function attachProvenance(
  digests: Readonly<Record<string, string>>,
  files: ProvenanceFiles,
  steps: Steps,
): Promise<void> {
  const attached = Object.entries(MEDIA_TYPES).flatMap(([name, mediaType]) => {
    const text = files[name];
    return text === undefined ? [] : [{ name, mediaType, text }];
  });
  for (const [name, digest] of onceEach(digests))
    await steps.run('attach', () => attempt(name, digest, attached), String);
}

/** Removes duplicates: several tags of a repository lead to the same image. */
function onceEach(digests: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  const places = Object.entries(digests).map(([name, digest]) => [partsOfName(name).repository, digest] as const);
  return [...new Map(places.map((place) => [place.join('@'), place])).values()];
}

async function attempt(name: string, digest: string, files: readonly AttachedFile[]): Promise<string> {
  const credentials = credentialsFor(name);
  try {
    await attachFiles(name, digest, files, credentials);
    return files.map((file) => file.name).join(', ');
  } catch (error) {
    const why = withoutSecrets((error as Error).message, credentials);
    return `not accepted by ${registryOf(name)}: ${why}. The image was pushed, and the files are stored with the release`;
  }
}

// ── Signing ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// Signs what a build says about its image as a DSSE envelope, the form that `cosign attach attestation` takes, and checks
// such an envelope. Keys are PEM: EC, Ed25519 or RSA.

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** KILN_SIGNING_KEY is the key itself, as secrets of CI are, or a file. Undefined where nothing is signed. */
export function signingKey(): KeyObject | undefined {
  const given = process.env.KILN_SIGNING_KEY ?? '';
  if (given === '') return undefined;
  const text = given.includes('-----BEGIN') ? given : fileText(given, 'KILN_SIGNING_KEY');
  return readKey(createPrivateKey, text, 'KILN_SIGNING_KEY is not an unencrypted private key in PEM');
}

export function verifyingKey(file: string): KeyObject {
  return readKey(createPublicKey, fileText(file, '--key'), `\`${file}\` is not a public key in PEM`);
}

export function envelopeOf(statement: string, key: KeyObject): string {
  const payload = Buffer.from(statement);
  const sig = sign(hashFor(key), signedBytes(payload), key).toString('base64');
  const envelope = { payloadType: PAYLOAD_TYPE, payload: payload.toString('base64'), signatures: [{ keyid: '', sig }] };
  return `${JSON.stringify(envelope)}\n`;
}

/** The statement that the key has signed; undefined where it has not. */
export function signedStatement(text: string, key: KeyObject): string | undefined {
  const { payloadType, payload, signatures } = (jsonFrom(text) ?? {}) as Readonly<Record<string, unknown>>;
  if (payloadType !== PAYLOAD_TYPE || typeof payload !== 'string' || !Array.isArray(signatures)) return undefined;
  const bytes = Buffer.from(payload, 'base64');
  const isSigned = signatures.some(
    ({ sig }) => typeof sig === 'string' && verify(hashFor(key), signedBytes(bytes), key, Buffer.from(sig, 'base64')),
  );
  return isSigned ? bytes.toString('utf8') : undefined;
}

/** The bytes that DSSE signs: the type and the payload, each with its length. */
function signedBytes(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

/** Keys on Edwards curves hash by themselves. */
function hashFor({ asymmetricKeyType }: KeyObject): string | null {
  return asymmetricKeyType?.startsWith('ed') ? null : 'sha256';
}

function fileText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new BuildRefusal(`the key of ${what} cannot be read: ${systemReason(error)}`);
  }
}

/** Reads a key. The reason of the library is not shown: it may quote the key. */
function readKey(read: (text: string) => KeyObject, text: string, refusal: string): KeyObject {
  try {
    return read(text);
  } catch {
    throw new BuildRefusal(refusal);
  }
}

// ── Runtime sbom ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The components of a base. Its runtime carries a document of its own, so it is always that of this very runtime; Node
// and the packages of the system are read from the files of the base.

type BaseFiles = Pick<BaseImage, 'id' | 'name' | 'config'>;

const FILE = 'kiln/sbom.cdx.json';
const FILES = [FILE, ...SYSTEM_FILES];

/**
 * Reads the document of a base. Null where a base of an older Kiln has none, or where the engine cannot read it: then
 * the document of the application says that it is incomplete, and the image is as good as any.
 */
export async function runtimeSbomIn(
  engine: DockerEngine,
  base: BaseFiles,
  labels?: Readonly<Record<string, string>>,
): Promise<string | null> {
  const paths = FILES.map((path) => `/${path}`);
  const found = await filesInImage(engine, base.id, paths, labels).catch(() => new Map<string, Buffer>());
  return sbomOfBase(base, new Map([...found].map(([path, bytes]) => [path.slice(1), bytes])));
}

export async function runtimeSbomOf({ image, layers }: OwnBase): Promise<string | null> {
  const isWanted = (name: string) => FILES.some((path) => name === path || name.startsWith(`${path}/`));
  return sbomOfBase(image, await filesInLayers(layers, isWanted));
}

function sbomOfBase(base: BaseFiles, files: ReadonlyMap<string, Buffer>): string | null {
  const runtime = files.get(FILE)?.toString('utf8');
  return runtime === undefined ? null : baseSbom(runtime, nodeVersionOf(base), baseSystem(files));
}

/** Images of Node say it in their environment; a base of this machine's Node in its name. */
function nodeVersionOf({ name, config }: BaseFiles): string | null {
  const said = config.Env?.find((setting) => setting.startsWith('NODE_VERSION='))?.slice('NODE_VERSION='.length);
  return said ?? /^node-v(\d[\w.-]*)$/.exec(name)?.[1] ?? null;
}
