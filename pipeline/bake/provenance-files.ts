/** What a build leaves beside its release about where its image comes from: what it is made of, and by what. */
import type { KeyObject } from 'node:crypto';
import { type BaseImage, baseDigest } from '../image/image-config.ts';
import type { BuildInput, RecordedBuild } from './build-release.ts';
import { kilnVersion } from './kiln-version.ts';
import { provenanceText } from './provenance.ts';
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
