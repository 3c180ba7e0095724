/**
 * Ledgers, journals, reports and deployments that somebody pushes. The repository writes them itself: images are made of
 * the ledger, so whoever writes it decides what databases run. Where its settings allow it, a CI job may hand over
 * releases. Each of them is compiled and planned again from its commit, and has to be the same to the last byte.
 */
import { prepareRelease } from '../bake/build-release.ts';
import { kilnVersion } from '../bake/kiln-version.ts';
import { Steps } from '../bake/steps.ts';
import { areHere } from '../git/objects.ts';
import { GATES } from '../git/project-settings.ts';
import type { Repository } from '../git/repository.ts';
import { isAncestor } from '../git/revision.ts';
import { releaseCommit } from '../ledger/append-release.ts';
import { type Ledger, ledgerFor, readReleaseText } from '../ledger/ledger.ts';
import { ledgerLines } from '../ledger/ledger-lines.ts';
import { branchOfLedger, recordReference } from '../ledger/ledger-reference.ts';
import { LedgerRefusal } from '../ledger/ledger-refusal.ts';
import { type RecordedRelease, readChain } from '../ledger/read-chain.ts';
import { PushRefusal } from './push-refusal.ts';
import { idOrNull, pushedBranches } from './pushed-branches.ts';
import type { PushSettings } from './settings.ts';
import { failedIn } from './usable-releases.ts';

export interface PushedRecord {
  readonly reference: string;
  /** Null where it is new. */
  readonly from: string | null;
  /** Null where it is to be deleted. */
  readonly to: string | null;
  /** Where its branch is after the push; null where the push does not say so. */
  readonly head: string | null;
}

export function pushedRecords(text: string): readonly PushedRecord[] {
  return text.split('\n').flatMap((line) => {
    const [, from = '', to = '', reference] = /^(\S+) (\S+) (refs\/kiln\/.+)$/.exec(line) ?? [];
    if (reference === undefined) return [];
    const head = pushedBranches(text, [branchOfLedger(reference)])[0]?.to ?? null;
    return [{ reference, from: idOrNull(from), to: idOrNull(to), head }];
  });
}

export async function mustBeMadeHere(
  repository: Repository,
  { takesReleases }: PushSettings,
  { reference, from, to, head }: PushedRecord,
): Promise<void> {
  if (to === null) throw kept(repository, reference, 'deleted');
  const branch = branchOfLedger(reference);
  const isLedger = reference === recordReference(repository, 'releases', branch);
  if (!isLedger || !takesReleases) throw written(repository, reference, isLedger);
  const chain = pushedChain(repository, reference, to);
  const known = from === null ? sharedReleases(repository, branch, chain) : placeOf(chain, from);
  if (known === undefined) throw kept(repository, reference, 'rewritten');
  const tip = head ?? `refs/heads/${branch}`;
  mustBeOnBranch(repository, branch, tip, chain.at(-1));
  for (const at of chain.keys())
    if (at >= known) await mustBeCompiled(repository, { branch, reference, chain, at, tip });
}

function pushedChain(repository: Repository, reference: string, to: string): readonly RecordedRelease[] {
  try {
    return readChain(repository, reference, to);
  } catch (error) {
    if (!(error instanceof LedgerRefusal)) throw error;
    const what = error.message.slice(0, error.message.lastIndexOf('; '));
    throw new PushRefusal(`what is pushed cannot be taken: ${what}`, { cause: error });
  }
}

/** How many of them the repository has after all pushes before. */
function placeOf(chain: readonly RecordedRelease[], tip: string): number | undefined {
  const at = chain.findIndex(({ commit }) => commit === tip);
  return at < 0 ? undefined : at + 1;
}

/** A new ledger starts where a build of its first own release would start it. */
function sharedReleases(repository: Repository, branch: string, chain: readonly RecordedRelease[]): number | undefined {
  const here = new Set(ledgerLines(repository).flatMap(({ releases }) => releases.map(({ commit }) => commit)));
  const own = chain.find(({ commit }) => !here.has(commit)) ?? chain.at(-1);
  const start = own === undefined ? [] : ledgerFor(repository, branch, own.release.revision).releases;
  return start.every(({ commit }, at) => commit === chain[at]?.commit) ? start.length : undefined;
}

interface PushedRelease {
  readonly branch: string;
  readonly reference: string;
  readonly chain: readonly RecordedRelease[];
  readonly at: number;
  /** Of the branch. */
  readonly tip: string;
}

async function mustBeCompiled(
  repository: Repository,
  { branch, reference, chain, at, tip }: PushedRelease,
): Promise<void> {
  const releases = chain.slice(0, at);
  const pushed = chain[at] as RecordedRelease;
  const before = releases.at(-1);
  const { revision } = pushed.release;
  mustBeOnBranch(repository, branch, tip, pushed);
  if (before && isPartOf(repository, revision, before.release.revision))
    throw notTaken(pushed, 'the release before it contains that commit already');
  const ledger: Ledger = { branch, reference, tip: before?.commit ?? null, releases };
  const reportedGates = gatesIn(repository, pushed);
  const compared = { ledger, hasFailed: failedIn(repository), reportedGates };
  const input = { repository, revision, branch, folder: repository.folder, ...compared };
  const { release } = await prepareRelease(input, new Steps(() => undefined));
  if (releaseCommit(repository, ledger, revision, release.texts) === pushed.commit) return;
  const made = `it is not what Kiln ${kilnVersion} makes of that commit`;
  throw notTaken(pushed, `${made}; build it again with the same Kiln as here`);
}

/** Those that were on where it was built, which may be others than here. They decide nothing: the gates of here have to be passed. */
function gatesIn(repository: Repository, pushed: RecordedRelease): readonly string[] {
  try {
    const { gates } = JSON.parse(readReleaseText(repository, pushed, 'report.json'));
    return Object.keys(GATES).filter((name) => gates.includes(name));
  } catch {
    return [];
  }
}

function mustBeOnBranch(repository: Repository, branch: string, tip: string, pushed?: RecordedRelease): void {
  if (pushed === undefined || isPartOf(repository, pushed.release.revision, tip)) return;
  throw notTaken(pushed, `\`${branch}\` does not contain that commit here; push the branch first`);
}

function notTaken({ commit, release }: RecordedRelease, why: string): PushRefusal {
  return new PushRefusal(`the release ${commit} of ${release.revision.slice(0, 12)} is not taken: ${why}`);
}

function isPartOf(repository: Repository, revision: string, of: string): boolean {
  const here = areHere(repository, [`${revision}^{commit}`, `${of}^{commit}`]);
  return here.every((isHere) => isHere) && isAncestor(repository, revision, of);
}

function kept({ sharedFolder }: Repository, reference: string, how: string): PushRefusal {
  const what = `\`${reference}\` records what databases have gone through, so it is not ${how} by a push`;
  const advice = `push branches by their names, without --mirror; where you mean it, run \`git update-ref -d ${reference}\` in`;
  return new PushRefusal(`${what}; ${advice} \`${sharedFolder}\` first`);
}

function written({ sharedFolder }: Repository, reference: string, isLedger: boolean): PushRefusal {
  const what = `\`${reference}\` is written by the repository itself, so no push adds to it`;
  const setting = `git -C '${sharedFolder}' config kiln.ledger push`;
  const advice = isLedger ? `; to take releases that a CI job has built, run \`${setting}\`` : '';
  return new PushRefusal(`${what}${advice}`);
}
