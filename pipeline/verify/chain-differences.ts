/** How the chains of releases of two images differ, in sentences. */
import { plural } from '../../compiler/diagnostics/words/plural.ts';

interface Chain {
  readonly version: number;
  readonly releases: readonly { readonly revision: string }[];
}

/** Texts of `releases.json`. Empty where they are the same. */
export function chainDifferences(inImage: string | undefined, here: string): readonly string[] {
  if (inImage === here) return [];
  const [chain, own] = [chainFrom(inImage), chainFrom(here)];
  if (chain === undefined || own === undefined) return ['the chain of releases in the image cannot be read'];
  if (chain.version > own.version)
    return ['the chain of releases in the image was written by a newer Kiln; update Kiln'];
  const [theirs, ours] = [chain.releases.length, own.releases.length];
  const counts = theirs === ours ? [] : [`the image knows ${plural(theirs, 'release')}, this repository ${ours}`];
  return [...counts, ...otherReleases(chain, own)];
}

/** The first place where they part is enough: all that follows is another way. */
function otherReleases({ releases: theirs }: Chain, { releases: ours }: Chain): readonly string[] {
  const at = ours.findIndex((release, index) => JSON.stringify(release) !== JSON.stringify(theirs[index]));
  const [inImage, here] = [theirs[at], ours[at]];
  if (at < 0 || inImage === undefined || here === undefined) return [];
  const isSame = inImage.revision === here.revision;
  return isSame
    ? [`release ${at + 1} (${shortened(here.revision)}) has another migration in the image`]
    : [`release ${at + 1} is ${shortened(inImage.revision)} in the image, and ${shortened(here.revision)} here`];
}

function chainFrom(text: string | undefined): Chain | undefined {
  try {
    const { version, releases } = JSON.parse(text ?? '') as Chain;
    const isChain = typeof version === 'number' && Array.isArray(releases) && releases.every(isRelease);
    return isChain ? { version, releases } : undefined;
  } catch {
    return undefined;
  }
}

function isRelease(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'revision' in value && typeof value.revision === 'string';
}

function shortened(revision: string): string {
  return revision.slice(0, 12);
}
