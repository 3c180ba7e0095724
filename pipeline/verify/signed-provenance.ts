/** Whether somebody with a certain key has signed that a build made an image. */
import type { KeyObject } from 'node:crypto';
import { SIGNED_PROVENANCE, signedStatement } from '../bake/signing.ts';
import { referencesIn } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { readBuildFile } from '../ledger/build-files.ts';
import { branchOfLedger, recordsOf } from '../ledger/ledger-reference.ts';
import type { Difference } from './image-differences.ts';

/** Empty where it is signed. `id` is that of the image that the revision gives. */
export function signatureDifferences(
  repository: Repository,
  { revision, id }: { readonly revision: string; readonly id: string },
  key: KeyObject,
): readonly Difference[] {
  const branches = referencesIn(repository, recordsOf(repository, 'reports')).map(({ name }) => branchOfLedger(name));
  const envelopes = branches.flatMap((branch) => readBuildFile(repository, branch, revision, SIGNED_PROVENANCE) ?? []);
  if (envelopes.length === 0)
    return [{ of: 'signature', says: `no build of ${revision} has left one here; ${ADVICE}` }];
  const statements = envelopes.flatMap((envelope) => signedStatement(envelope, key) ?? []);
  if (statements.length === 0) return [{ of: 'signature', says: 'it is not of this key' }];
  if (statements.some((statement) => subjectsOf(statement).includes(id))) return [];
  return [{ of: 'signature', says: `this key has signed another image of ${revision}` }];
}

const ADVICE =
  "builds sign with KILN_SIGNING_KEY, and `git fetch origin 'refs/kiln/*:refs/kiln/*'` fetches what they left";

function subjectsOf(statement: string): readonly string[] {
  const { subject = [] } = JSON.parse(statement) as {
    readonly subject?: readonly { readonly digest?: { readonly sha256?: string } }[];
  };
  return subject.map(({ digest }) => `sha256:${digest?.sha256}`);
}
