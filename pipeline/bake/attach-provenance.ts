import { type AttachedFile, attachFiles } from '../image/attach-files.ts';
import { credentialsFor, registryOf } from '../image/registry-credentials.ts';
import { withoutSecrets } from '../image/registry-refusal.ts';
import type { ProvenanceFiles } from './provenance-files.ts';
import { SIGNED_PROVENANCE } from './signing.ts';
import type { Steps } from './steps.ts';

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
  for (const [name, digest] of onceEach(digests)) {
    await steps.run(
      'attach',
      () => attempt(name, digest, attached),
      (said) => said,
    );
  }
}

/** Several tags of a repository lead to the same image. */
function onceEach(digests: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  const places = Object.entries(digests).map(([name, digest]) => [name.replace(/:[^/:]*$/, ''), digest] as const);
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
