/**
 * Releases that a commit gives up, because a database cannot complete them: `Withdraws: <revision>`. Databases that have
 * completed such a release go on from it. The others go from the previous release to this one.
 */

import { problemsBetween } from '../../compiler/change/problems.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { type Release, releaseChecksum, type Undo, type Withdrawal } from '../../compiler/definition/migration.ts';
import { releaseBetween, undoBetween } from '../../compiler/emit/migration/release-between.ts';
import { areHere, commitName } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { isAncestor, revisionOf } from '../git/revision.ts';
import { type Ledger, ledgerBranches, readLedger, readReleaseText } from '../ledger/ledger.ts';
import type { RecordedRelease } from '../ledger/read-chain.ts';
import { recordedDefinition } from '../ledger/release-files.ts';
import { BuildRefusal, WITHDRAWS } from './build-names.ts';

interface Withdrawing {
  readonly repository: Repository;
  readonly ledger: Ledger;
  readonly definition: Definition;
}

/** Withdraws the releases that commits name by their revisions or the beginnings of those. */
export function withdrawalsOf(withdrawing: Withdrawing, names: readonly string[]) {
  const { repository, ledger, definition } = withdrawing;
  const named = [...new Set(names)].map((name) => placeOf(repository, ledger, name));
  const places = [...new Set(named.flatMap((place) => place.at ?? []))].toSorted((a, b) => a - b);
  const definitionAt = (at: number) => definitionOf(repository, ledger.releases[at] as RecordedRelease);
  return {
    /** The withdrawals, in the order of the releases that they give up. */
    withdraws: places.map((at) => withdrawalOf(ledger, at, definition, definitionAt)),
    /** The problems, seen from the releases that databases come from. */
    problems: places.flatMap((at) => problemsBetween(definitionAt(at - 1), definition)),
    /** The releases that are not withdrawn here, for the person who pushes. */
    notes: named.flatMap((place) => place.note ?? []),
  };
}

const SHORTEST = 7;
const SHORT_REVISION = new RegExp(`^[0-9a-f]{${SHORTEST},}$`);

/** The place in the ledger, or a note about why there is none. */
type Place = { readonly at: number; readonly note?: never } | { readonly at?: never; readonly note: string };

/** A commit that was merged may give up a release of the branch that it comes from, which this branch never had. */
function placeOf(repository: Repository, ledger: Ledger, name: string): Place {
  const { branch } = ledger;
  const [at, ...others] = placesOf(ledger, name);
  if (at === undefined) {
    const elsewhere = branchesWith(repository, branch, name);
    if (elsewhere.length === 0) throw refusal(name, noRelease(repository, ledger, name));
    return { note: `\`${WITHDRAWS}: ${name}\` concerns ${elsewhere.join(' and ')}, not \`${branch}\`` };
  }
  if (others.length > 0) throw refusal(name, `several releases of \`${branch}\` begin so; write more of the revision`);
  if (at === 0) throw refusal(name, `that is ${FIRST}`);
  return { at };
}

const FIRST = 'the first release, and databases have nothing to go back to';

/** Explains why nothing can be withdrawn by this name, and what may be meant. */
function noRelease(repository: Repository, { branch, releases }: Ledger, name: string): string {
  if (!SHORT_REVISION.test(name) || !areHere(repository, [commitName(name)])[0])
    return 'no release of this repository has this revision; `migrate` says it when it fails';
  const revision = revisionOf(repository, name);
  const revisions = releases.map(({ release }) => release.revision);
  const here = areHere(repository, revisions.map(commitName));
  const holds = revisions.findIndex((each, at) => here[at] && isAncestor(repository, revision, each));
  if (holds < 0) return 'that commit is not a release; `migrate` says the revision when it fails';
  const advice = holds === 0 ? `that is ${FIRST}` : `write \`${WITHDRAWS}: ${revisions[holds]?.slice(0, 12)}\``;
  return `that commit is not a release: it is part of release ${holds + 1} of \`${branch}\`; ${advice}`;
}

function refusal(name: string, why: string): BuildRefusal {
  return new BuildRefusal(`a commit says \`${WITHDRAWS}: ${name}\`, but ${why}`);
}

function placesOf({ releases }: Pick<Ledger, 'releases'>, name: string): readonly number[] {
  if (!SHORT_REVISION.test(name)) return [];
  return releases.flatMap(({ release }, at) => (release.revision.startsWith(name) ? [at] : []));
}

function branchesWith(repository: Repository, except: string, name: string): readonly string[] {
  return ledgerBranches(repository)
    .filter((branch) => branch !== except && placesOf(readLedger(repository, branch), name).length > 0)
    .map((branch) => `\`${branch}\``);
}

export function definitionOf(repository: Repository, recorded: RecordedRelease): Definition {
  const text = readReleaseText(repository, recorded, 'definition.json');
  return recordedDefinition(text, `the release ${recorded.release.revision.slice(0, 12)}`);
}

type DefinitionAt = (at: number) => Definition;

function withdrawalOf(ledger: Ledger, at: number, definition: Definition, definitionAt: DefinitionAt): Withdrawal {
  const before = definitionAt(at - 1);
  const { revision } = releaseAt(ledger, at);
  const begun = begunAt(ledger, at);
  const way = releaseBetween(before, definition);
  const same = begun.find(({ release }) => way.steps.length > 0 && releaseChecksum(release) === releaseChecksum(way));
  if (same) throw refusal(revision.slice(0, 12), sameSteps(same));
  return { revision, undo: begun.map((each) => undoOf(each, before, definitionAt)), ...way };
}

/** The refusal where the sources still have the change, or have it again. */
function sameSteps({ at }: Begun): string {
  return `the migration from the previous release is still that of release ${at + 1}, and would fail again; change the sources back in the same push, or remove the line`;
}

/** The steps that a database at the previous release may have begun, and their place in the ledger. */
interface Begun {
  readonly at: number;
  readonly release: Pick<Release, 'revision' | 'steps' | 'contract'>;
}

/** Lists what may have been begun: an earlier release that withdrew the same one may have failed as well. */
function begunAt(ledger: Ledger, at: number): readonly Begun[] {
  const release = releaseAt(ledger, at);
  const around = ledger.releases.flatMap(({ release: { revision, withdraws = [] } }, place): readonly Begun[] => {
    const same = withdraws.find((withdrawal) => withdrawal.revision === release.revision);
    return same ? [{ at: place, release: { ...same, revision } }] : [];
  });
  return [{ at, release }, ...around];
}

function undoOf({ at, release }: Begun, before: Definition, definitionAt: DefinitionAt): Undo {
  const begun = definitionAt(at);
  // The undo steps are generated again. They fit only if this Kiln generates the same steps as the one that wrote the
  // release.
  if (releaseChecksum(releaseBetween(before, begun)) !== releaseChecksum(release)) throw otherKiln(release.revision);
  return { revision: release.revision, steps: undoBetween(before, begun) };
}

function otherKiln(revision: string): BuildRefusal {
  const what = `${revision.slice(0, 12)} cannot be withdrawn: another version of Kiln wrote its migration, and this one would write it differently`;
  return new BuildRefusal(`${what}; build the release that withdraws it with that version`);
}

function releaseAt({ releases }: Ledger, at: number): Release {
  return (releases[at] as RecordedRelease).release;
}
