/**
 * A revision as a release: compared with the previous release on its branch, or as it was recorded if it is released
 * already. Nothing is written here.
 */

import { type ChangeProblem, problemsBetween } from '../../compiler/change/problems.ts';
import { artifactsFor, definitionText } from '../../compiler/definition/artifacts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import {
  type Release,
  type ReleaseChain,
  statementsOf,
  stepsFrom,
  type Withdrawal,
} from '../../compiler/definition/migration.ts';
import { migrationSql } from '../../compiler/emit/migration/migration-sql.ts';
import { releaseBetween } from '../../compiler/emit/migration/release-between.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaInParts } from '../../compiler/emit/sql/schema-sql.ts';
import { storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { differenceBetween } from '../difference/difference-between.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import type { PlaceOf } from '../difference/subject-place.ts';
import { type Commit, trailersBetween } from '../git/commit.ts';
import { gateChanges, gatesOf } from '../git/project-settings.ts';
import type { Repository } from '../git/repository.ts';
import { type Layer, layerFrom, textFile } from '../image/layer.ts';
import { chainOf, type Ledger, newestRelease, readReleaseText, readReleaseTexts, releaseOf } from '../ledger/ledger.ts';
import { LedgerRefusal } from '../ledger/ledger-reference.ts';
import { damagedLedger, type RecordedRelease } from '../ledger/read-chain.ts';
import { type ReleaseTexts, recordedDefinition } from '../ledger/release-files.ts';
import { ACCESS, BREAKING, WITHDRAWS } from './build-names.ts';
import { type ReleaseReport, reportFrom } from './build-record.ts';
import { type HasFailed, type LiveRelease, liveReleases, passedBefore } from './compared-releases.ts';
import { withdrawalsOf } from './withdrawals.ts';

export interface PreparedRelease extends Omit<ComparedRelease, 'difference'> {
  readonly texts: ReleaseTexts;
  readonly definition: Definition;
  /** The chain, with this release at its end. */
  readonly chain: ReleaseChain;
  readonly isRecorded: boolean;
  /** The position of the release that it is compared with: the newest before it that did not fail its test. 0 for none. */
  readonly from: number;
  /** The changes since that one; null for the first release. */
  readonly difference: PlacedDifference | null;
  /** Gates that are on or off now and were not before, one sentence each. */
  readonly gateChanges: readonly string[];
  /** The changes since the releases that are recorded as live. */
  readonly live: readonly LiveDifference[];
  /** The statements of its commits that are not followed, for the person who pushes. */
  readonly notes: readonly string[];
  /** The ledger that it was compared with. The release may be appended only if the ledger still ends there. */
  readonly ledger: Ledger;
}

/** The changes of a release since an earlier one, and the reasons that the commits in between give. */
export interface ComparedRelease {
  readonly difference: PlacedDifference;
  /** The reasons for breaking changes of the API. */
  readonly breaking: readonly string[];
  /** The reasons for access rules that let more callers in. */
  readonly reviewed: readonly string[];
}

type LiveDifference = LiveRelease & ComparedRelease;

interface ReleaseInput {
  readonly application: string;
  readonly title: string;
  readonly commit: Commit;
  /** The folder of the project in the repository's tree. */
  readonly folder: string;
  readonly definition: Definition;
  readonly ledger: Ledger;
  /** Whether the image of a release failed its test: nobody runs it then. */
  readonly hasFailed: HasFailed;
  /** The gates that its report names, where they are not those that are on here. */
  readonly reportedGates: readonly string[] | undefined;
  /** Places in its sources, for what differs from another definition. */
  readonly placesAgainst: (other: Definition) => PlaceOf;
}

export function preparedRelease(
  repository: Repository,
  input: ReleaseInput,
): PreparedRelease | readonly ChangeProblem[] {
  const { ledger, commit } = input;
  const recorded = releaseInLedger(repository, ledger, commit.revision);
  if (recorded) return recorded;
  const newest = newestRelease(ledger);
  return newRelease(repository, input, newest ? previousOf(repository, ledger, newest) : null);
}

interface Previous {
  readonly revision: string;
  readonly definition: Definition;
}

function previousOf(repository: Repository, { reference, releases }: Ledger, newest: RecordedRelease): Previous {
  const { revision } = newest.release;
  const text = readReleaseText(repository, newest, 'definition.json');
  try {
    return { revision, definition: recordedDefinition(text, `the previous release (${revision.slice(0, 12)})`) };
  } catch (error) {
    if (!(error instanceof LedgerRefusal) || error.kind !== 'damaged') throw error;
    const what = `the release ${newest.commit} has a \`definition.json\` that is not a definition`;
    throw damagedLedger(repository, reference, what, releases[releases.indexOf(newest) - 1]?.commit);
  }
}

function baseOf(repository: Repository, ledger: Ledger, position: number): Previous | null {
  const recorded = ledger.releases[position - 1];
  return recorded ? previousOf(repository, ledger, recorded) : null;
}

/** Reads a release as it was recorded; undefined where the revision has not been released. */
export function releaseInLedger(repository: Repository, ledger: Ledger, revision: string): PreparedRelease | undefined {
  const recorded = releaseOf(ledger, revision);
  return recorded && recordedRelease(readReleaseTexts(repository, recorded), ledger, revision);
}

function recordedRelease(texts: ReleaseTexts, ledger: Ledger, revision: string): PreparedRelease {
  const definition = recordedDefinition(texts['definition.json'], `the release ${revision.slice(0, 12)}`);
  const chain = chainFrom(chainOf(ledger, revision), definition);
  const { difference, breaking, reviewed, since } = reportFrom(texts['report.json']);
  const at = chain.releases.findIndex((release) => release.revision === since);
  const from = at < 0 ? chain.releases.length - 1 : at + 1;
  const given = { difference, breaking, reviewed, live: [], notes: [], gateChanges: [] };
  return { texts, definition, chain, from, ...given, isRecorded: true, ledger };
}

function newRelease(
  repository: Repository,
  { application, title, commit, folder, definition, ledger, hasFailed, placesAgainst, reportedGates }: ReleaseInput,
  before: Previous | null,
): PreparedRelease | readonly ChangeProblem[] {
  const previous = before?.definition ?? null;
  const trailers = before ? trailersBetween(repository, before.revision, commit.revision) : () => [];
  const named = trailers(WITHDRAWS);
  const { withdraws, problems: around, notes } = withdrawalsOf({ repository, ledger, definition }, named);
  const own = previous ? problemsBetween(previous, definition) : [];
  const isWithdrawing = withdraws.length > 0 && !isCompletedLive(repository, ledger, withdraws);
  const takenBack = isWithdrawing ? own.filter(({ code }) => code === 'lossy-type-change') : [];
  const problems = [...own.filter((problem) => !takenBack.includes(problem)), ...around];
  if (problems.length > 0) return unique(problems);
  const release: Release = {
    revision: commit.revision,
    fingerprint: storageFingerprint(definition),
    ...(previous ? releaseBetween(previous, definition) : { steps: [] }),
    ...(withdraws.length === 0 ? {} : { withdraws: takenBack.length === 0 ? withdraws : withdraws.map(onlyPath) }),
  };
  const from = passedBefore(chainOf(ledger), hasFailed, release);
  const base = from === ledger.releases.length ? before : baseOf(repository, ledger, from);
  const chain = chainFrom([...chainOf(ledger), release], definition);
  const differenceFrom = (other: Definition) => differenceBetween(other, definition, placesAgainst(other));
  const difference = base && differenceFrom(base.definition);
  const reasonsSince = (revision: string) => {
    const isBefore = revision === before?.revision;
    const trailersSince = isBefore ? trailers : trailersBetween(repository, revision, commit.revision);
    return { breaking: trailersSince(BREAKING), reviewed: trailersSince(ACCESS) };
  };
  const live = liveReleases(repository, ledger.branch, chainOf(ledger), from).map((each): LiveDifference => {
    const recorded = releaseOf(ledger, each.revision) as RecordedRelease;
    const { definition: other } = previousOf(repository, ledger, recorded);
    return { ...each, ...reasonsSince(each.revision), difference: differenceFrom(other) };
  });
  const { breaking, reviewed } = base ? reasonsSince(base.revision) : { breaking: [], reviewed: [] };
  const gates = gatesOf(repository, commit.revision, folder);
  const gatesBefore = base === null ? [...gates.keys()] : gatesAt(repository, ledger, base.revision);
  const steps = stepsFrom(chain.releases, from).now;
  const report: ReleaseReport = {
    application,
    revision: commit.revision,
    subject: commit.subject,
    committed: new Date(commit.time * 1000).toISOString(),
    models: definition.models.length,
    endpoints: definition.endpoints.length,
    database: base === null ? ['make all tables'] : steps.flatMap(statementsOf).map(({ says }) => says),
    since: base === null || base === before ? null : base.revision,
    ...{ difference, breaking, reviewed, gates: reportedGates ?? [...gates.keys()] },
  };
  const texts: ReleaseTexts = {
    'definition.json': definitionText(definition),
    'schema.sql': chain.schemaSql,
    'migration.sql': migrationSql(release.steps, release.contract),
    'migration.json': `${JSON.stringify(release, null, 2)}\n`,
    'openapi.json': openApiText(openApiFromDefinition(definition, { title, version: commit.revision.slice(0, 12) })),
    'report.json': `${JSON.stringify(report, null, 2)}\n`,
  };
  return {
    texts,
    difference,
    live,
    from,
    breaking,
    reviewed,
    gateChanges: gateChanges(gatesBefore, gates),
    notes,
    definition,
    chain,
    isRecorded: false,
    ledger,
  };
}

/** Reads the gates that a release has recorded. */
function gatesAt(repository: Repository, ledger: Ledger, revision: string): readonly string[] {
  const text = readReleaseText(repository, releaseOf(ledger, revision) as RecordedRelease, 'report.json');
  return reportFrom(text).gates;
}

/**
 * Whether a live release has completed one of the withdrawn ones: then databases have values that nobody could take
 * back.
 */
function isCompletedLive(repository: Repository, ledger: Ledger, withdraws: readonly Withdrawal[]): boolean {
  const releases = chainOf(ledger);
  const first = releases.findIndex(({ revision }) => withdraws.some((each) => each.revision === revision));
  return liveReleases(repository, ledger.branch, releases, 0).some(({ position }) => position > first);
}

function onlyPath(withdrawal: Withdrawal): Withdrawal {
  return { ...withdrawal, isOnlyWay: true };
}

/** Removes duplicates: several earlier releases may lack the same thing. */
function unique(problems: readonly ChangeProblem[]): readonly ChangeProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function chainFrom(releases: readonly Release[], definition: Definition): ReleaseChain {
  return { version: 1, releases, ...schemaInParts(schemaFromDefinition(definition)) };
}

// ── Application layer ────────────────────────────────────────────────────────────────────────────────────────────────

// The files of an application in its image, all of them below `/app`, in one layer: an engine starts a process for each
// layer that it adds, and waits for the disk. They depend on the revision alone, except for the chain of releases,
// which depends on the ledger: no commit can know which releases databases have gone through.

/** The path in the image. */
export const CHAIN_FILE = 'app/releases.json';

export function applicationLayer({ texts, chain }: PreparedRelease, hooks: string | undefined): Promise<Layer> {
  const contents = { ...texts, 'releases.json': JSON.stringify(chain), 'hooks/hooks.mjs': hooks };
  const artifacts = artifactsFor('image', contents);
  return layerFrom(new Map(artifacts.map(({ name, content }) => [`app/${name}`, textFile(content)])));
}
