/**
 * What an image was made of and by what, as an in-toto statement with a SLSA provenance. It says no time and no machine,
 * so the same build gives the same statement.
 */
import { digestOf } from '../image/layer.ts';

export interface ProvenanceInput {
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

export function provenanceText(input: ProvenanceInput): string {
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
