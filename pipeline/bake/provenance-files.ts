/** What a build leaves beside its release about where its image comes from: what it is made of, and by what. */
import type { KeyObject } from 'node:crypto';
import { type BaseImage, baseDigest } from '../image/image-config.ts';
import { digestOf } from '../image/layer.ts';
import type { BuildInput, RecordedBuild } from './build-release.ts';
import { kilnVersion } from './kiln-version.ts';
import { applicationSbom, spdxText } from './sbom.ts';
import { envelopeOf, SIGNED_PROVENANCE } from './signing.ts';

/** For `writeBuildFiles`, and for registries. */
export interface ProvenanceFiles extends Readonly<Record<string, string>> {
  readonly 'sbom.cdx.json': string;
  readonly 'provenance.json': string;
}

export interface MadeImage {
  /** The digest of its configuration. */
  readonly id: string;
  /** By name, of each registry that took it. */
  readonly digests: Readonly<Record<string, string>>;
  readonly base: BaseImage;
  /** `sbom.cdx.json` of the runtime in the base; null where it has none. */
  readonly runtimeSbom: string | null;
}

/** With `key`, the provenance is there a second time, signed. */
export function provenanceFiles(
  input: BuildInput,
  built: RecordedBuild,
  image: MadeImage,
  key?: KeyObject,
): ProvenanceFiles {
  const { revision, branch, folder } = input;
  const { application, title, source, packages, recorded, commit } = built;
  const version = revision.slice(0, 12);
  const sbom = applicationSbom({ title, version, runtime: image.runtimeSbom, hooks: packages });
  const provenance = provenanceText({
    application,
    revision,
    branch,
    folder,
    source,
    ledger: recorded,
    base: baseDigest(image.base),
    image,
    sbom,
    version: kilnVersion,
  });
  const signed = key === undefined ? {} : { [SIGNED_PROVENANCE]: envelopeOf(provenance, key) };
  const spdx = spdxText(sbom, new Date(commit.time * 1000));
  return { 'sbom.cdx.json': sbom, 'sbom.spdx.json': spdx, 'provenance.json': provenance, ...signed };
}

// ── Provenance ───────────────────────────────────────────────────────────────────────────────────────────────────────

// * What an image was made of and by what, as an in-toto statement with a SLSA provenance. It says no time and no machine,
// so the same build gives the same statement.

interface ProvenanceInput {
  readonly application: string;
  readonly revision: string;
  readonly branch: string;
  /** In the repository's tree. */
  readonly folder: string;
  readonly source: string | null;
  /** The commit of the release on the ledger. */
  readonly ledger: string;
  /** A digest, as the label of the image has it. */
  readonly base: string;
  readonly image: { readonly id: string; readonly digests: Readonly<Record<string, string>> };
  readonly sbom: string;
  /** Of Kiln. */
  readonly version: string;
}

/** These name Kiln and the form of what follows; nothing is served there. */
const BUILD_TYPE = 'urn:kiln:build:v1';
const BUILDER = 'urn:kiln:builder';

function provenanceText(input: ProvenanceInput): string {
  const { branch, folder, revision, version, sbom } = input;
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjectsOf(input),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { revision, branch, folder },
        resolvedDependencies: dependenciesOf(input),
      },
      runDetails: {
        builder: { id: BUILDER, version: { kiln: version } },
        byproducts: [{ name: 'sbom.cdx.json', digest: { sha256: hexOf(digestOf(sbom)) } }],
      },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

/** The image by its own id, and by the digests that registries know it by. */
function subjectsOf({ application, image: { id, digests } }: ProvenanceInput): readonly unknown[] {
  const pushed = Object.entries(digests).sort(([one], [other]) => (one < other ? -1 : 1));
  return [[application, id] as const, ...pushed].map(([name, digest]) => ({ name, digest: { sha256: hexOf(digest) } }));
}

function dependenciesOf({ source, revision, ledger, base }: ProvenanceInput): readonly unknown[] {
  return [
    {
      name: 'source',
      ...(source === null ? {} : { uri: `git+${source}@${revision}` }),
      digest: { gitCommit: revision },
    },
    { name: 'ledger', digest: { gitCommit: ledger } },
    { name: 'base', digest: { sha256: hexOf(base) } },
  ];
}

function hexOf(digest: string): string {
  return digest.replace(/^sha256:/, '');
}
