/**
 * The check of a pre-receive hook in its turn: nothing is recorded, and obstacles are thrown. A push waits until
 * the previous one has its release, because it has to be compared with that; a push that another one has overtaken is
 * rejected.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { kilnVersion } from '../bake/build-names.ts';
import { prepareRelease } from '../bake/build-release.ts';
import { areHere } from '../git/objects.ts';
import { GATES } from '../git/project-settings.ts';
import { type Repository, referenceId } from '../git/repository.ts';
import { isAncestor } from '../git/revision.ts';
import { releaseCommit } from '../ledger/append-release.ts';
import { type Ledger, ledgerFor, newestRelease, readLedger, readReleaseText, releaseOf } from '../ledger/ledger.ts';
import { ledgerLines } from '../ledger/ledger-lines.ts';
import { branchOfLedger, LedgerRefusal, recordReference } from '../ledger/ledger-reference.ts';
import { type RecordedRelease, readChain } from '../ledger/read-chain.ts';
import { Steps } from '../smoke/steps.ts';
import { failedIn, newerRelease, pushedBuilds, readJournal } from './build-journal.ts';
import { BuildQueue, type PushedBranch, type Ticket } from './build-queue.ts';
import { PushRefusal, type PushSettings } from './settings.ts';

/** The longest time between an accepted push and its place in the queue, in milliseconds. */
const LONGEST_GAP = 2000;
const PAUSE = 100;

export async function checkPush(
  repository: Repository,
  pushed: PushedBranch,
  waiting: (ticket: Ticket) => void,
): Promise<void> {
  const { branch, to } = pushed;
  mustNotHaveMoved(repository, pushed);
  await waitForRelease(repository, pushed, waiting);
  mustContainNewest(repository, pushed);
  mustNotGoBack(repository, pushed);
  const input = { repository, revision: to, branch, folder: repository.folder, hasFailed: failedIn(repository) };
  await prepareRelease(input, new Steps(() => undefined));
}

/** Git would refuse it too, but only at the very end and with other words. */
function mustNotHaveMoved(repository: Repository, { branch, from }: PushedBranch): void {
  if (referenceId(repository, `refs/heads/${branch}`) === from) return;
  throw new PushRefusal(`another push to \`${branch}\` came first; fetch it, and push again`);
}

/** Waits until the head of the branch is recorded as a release, or until no process is left that would record it. */
async function waitForRelease(
  repository: Repository,
  { branch, from }: PushedBranch,
  waiting: (ticket: Ticket) => void,
): Promise<void> {
  const start = Date.now();
  let told: number | undefined;
  while (from !== null && isUnrecorded(repository, branch, from)) {
    const ticket = queuedBuild(repository, branch);
    if (ticket === undefined && Date.now() - start > LONGEST_GAP) return;
    if (ticket !== undefined && ticket.number !== told) waiting(ticket);
    told = ticket?.number ?? told;
    await sleep(PAUSE);
  }
}

/** A branch without releases was pushed to before Kiln came, so nothing is missing. */
function isUnrecorded(repository: Repository, branch: string, revision: string): boolean {
  const ledger = readLedger(repository, branch);
  return (
    (ledger.tip !== null || queuedBuild(repository, branch) !== undefined) && releaseOf(ledger, revision) === undefined
  );
}

function queuedBuild(repository: Repository, branch: string): Ticket | undefined {
  return new BuildQueue(repository).tickets().find((ticket) => ticket.branch === branch);
}

/**
 * Rejects a push that would undo a release which was made elsewhere, of a commit that the push does not contain. A
 * release that was built here was on the branch, and a forced push has removed it on purpose.
 */
function mustContainNewest(repository: Repository, { branch, from, to }: PushedBranch): void {
  const newest = newestRelease(readLedger(repository, branch))?.release.revision;
  if (newest === undefined || from === null || isPartOf(repository, newest, to)) return;
  const isOurs = pushedBuilds(readJournal(repository, branch)).some(({ revision }) => revision === newest);
  if (!isPartOf(repository, from, to) || isOurs) return;
  const what = `the newest release of \`${branch}\` is ${newest.slice(0, 12)}, which this push does not contain`;
  throw new PushRefusal(`${what}; merge it, or push with --force to go on without it`);
}

/** Databases do not go back: the image of an older release refuses to migrate one that is at a newer release. */
function mustNotGoBack(repository: Repository, { branch, to }: PushedBranch): void {
  const newer = newerRelease(repository, branch, to);
  if (newer === undefined) return;
  const what = `\`${branch}\` cannot go back to ${to.slice(0, 12)}: release ${newer.position} (${newer.revision.slice(0, 12)}) is newer`;
  const why = 'a database that it has migrated cannot be used by an older release';
  throw new PushRefusal(`${what}, and ${why}; to undo a change, revert it in a new commit and push that`);
}

// ── Pushed branches ──────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Selects the branches to build from the lines that git gives its hooks: one for each reference, with its old and its
 * new hash. Tags, other references, deleted branches and branches that are not built are left out.
 */
export function pushedBranches(text: string, built: readonly string[]): readonly PushedBranch[] {
  return branchesIn(text).filter(({ branch }) => built.includes(branch));
}

/** One line for the branches of a push that are not built; null where there are none. */
export function notBuiltText(text: string, built: readonly string[]): string | null {
  const others = branchesIn(text).flatMap(({ branch }) => (built.includes(branch) ? [] : [`\`${branch}\``]));
  if (others.length === 0) return null;
  const names = built.map((branch) => `\`${branch}\``).join(', ');
  return `${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} not built: this repository builds ${names}`;
}

function branchesIn(text: string): readonly PushedBranch[] {
  return pushedReferences(text, 'refs/heads/').flatMap(({ reference, from, to }) =>
    to === null ? [] : [{ branch: reference.slice('refs/heads/'.length), from, to }],
  );
}

function pushedReferences(text: string, folder: string): readonly Omit<PushedRecord, 'head'>[] {
  return text.split('\n').flatMap((line) => {
    const [, from = '', to = '', reference = ''] = /^(\S+) (\S+) (.+)$/.exec(line) ?? [];
    return reference.startsWith(folder) ? [{ reference, from: idOrNull(from), to: idOrNull(to) }] : [];
  });
}

/** Git writes zeros where there is no object. */
function idOrNull(id: string): string | null {
  return /^0+$/.test(id) ? null : id;
}

// ── Pushed records ───────────────────────────────────────────────────────────────────────────────────────────────────

// Ledgers, journals, reports and deployments that somebody pushes. The repository writes them itself: images are made
// from the ledger, so its author decides what databases run. Where its settings allow it, a CI job may hand over
// releases. Each of them is compiled and planned again from its commit, and has to be the same to the last byte.

export interface PushedRecord {
  readonly reference: string;
  /** Null where it is new. */
  readonly from: string | null;
  /** Null where it is to be deleted. */
  readonly to: string | null;
  /** The head of its branch after the push; null where the push does not state it. */
  readonly head: string | null;
}

export function pushedRecords(text: string): readonly PushedRecord[] {
  return pushedReferences(text, 'refs/kiln/').map((record) => {
    const head = pushedBranches(text, [branchOfLedger(record.reference)])[0]?.to ?? null;
    return { ...record, head };
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

/** The number of these releases that the repository has already. */
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
  /** The head of the branch. */
  readonly tip: string;
}

async function mustBeCompiled(repository: Repository, { branch, reference, chain, at, tip }: PushedRelease) {
  const releases = chain.slice(0, at);
  const pushed = chain[at] as RecordedRelease;
  const before = releases.at(-1);
  const { revision } = pushed.release;
  mustBeOnBranch(repository, branch, tip, pushed);
  if (before && isPartOf(repository, revision, before.release.revision))
    throw notTaken(pushed, 'the previous release contains that commit already');
  const ledger: Ledger = { branch, reference, tip: before?.commit ?? null, releases };
  const reportedGates = gatesIn(repository, pushed);
  const compared = { ledger, hasFailed: failedIn(repository), reportedGates };
  const input = { repository, revision, branch, folder: repository.folder, ...compared };
  const { release } = await prepareRelease(input, new Steps(() => undefined));
  if (releaseCommit(repository, ledger, revision, release.texts) === pushed.commit) return;
  const made = `it is not what Kiln ${kilnVersion} makes of that commit`;
  throw notTaken(pushed, `${made}; build it again with the same Kiln as here`);
}

/**
 * Reads the gates that were on where the release was built, which may differ from those here. They decide nothing: the
 * gates here have to be passed.
 */
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
