/** `kiln verify`: an image is held against what its commit gives. */
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { verifyingKey } from '../bake/provenance-files.ts';
import { openRepository } from '../git/repository.ts';
import { RUNTIME_FOLDER } from '../image/own-node.ts';
import { signatureDifferences, type Verification, verifyImage } from '../verify/verify-image.ts';
import { EXIT, type ExitCode, print, printJson, refuse } from './terminal.ts';

interface VerifyOptions {
  readonly rev?: string;
  readonly base: string;
  readonly baseArchive?: string;
  /** A file with the public key of who must have signed its provenance. */
  readonly key?: string;
  readonly json?: boolean;
}

export async function verify(name: string, dir: string, options: VerifyOptions): Promise<ExitCode> {
  const { rev, base, baseArchive, key: file, json = false } = options;
  const key = file === undefined ? undefined : verifyingKey(file);
  const repository = openRepository(dir);
  const found = await verifyImage({ name, repository, rev, base, baseArchive, runtimeFolder: RUNTIME_FOLDER });
  const isSame = found.differences.length === 0;
  const differences = isSame && key ? signatureDifferences(repository, found, key) : found.differences;
  const checked = { ...found, differences, ...(key ? { isSigned: isSame && differences.length === 0 } : {}) };
  const isVerified = differences.length === 0;
  if (!json) return isVerified ? verified(name, checked) : different(name, checked);
  printJson(JSON.stringify({ image: name, isVerified, ...checked }, null, 2));
  return isVerified ? EXIT.ok : EXIT.errors;
}

interface Checked extends Verification {
  /** Present where a key was given. */
  readonly isSigned?: boolean;
}

function verified(name: string, { revision, id, base, releases, isSigned }: Checked): ExitCode {
  print(`verified: ${name} is identical to the build of ${revision.slice(0, 12)}`);
  print(`  image     ${id}`);
  print(`  revision  ${revision}`);
  print(`  base      ${base.digest} (${base.name})`);
  print(`  releases  ${releases}`);
  if (isSigned) print('  signed    by the key');
  return EXIT.ok;
}

function different(name: string, { revision, differences, isAsRecorded }: Verification): ExitCode {
  for (const { of, says } of differences) print(`${of.padEnd(11)} ${says}`);
  const short = revision.slice(0, 12);
  if (differences[0]?.of === 'signature')
    return refuse(`${name} is identical to the build of ${short}, but its provenance is not signed as --key demands`);
  const onlyChain = differences.every(({ of }) => of === 'releases');
  if (onlyChain) print('The application in the image is that of the commit. Only the ledger differs.');
  if (isAsRecorded)
    print(
      'The ledger has recorded the release as the image has it: another Kiln has built it, or the record was changed.',
    );
  return refuse(`${name} is not verified: ${plural(differences.length, 'difference')} from what ${short} gives here`);
}
