/**
 * The files that a build leaves beside its release when it has ended, well or not: `build.json`, and the report for
 * people.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import {
  type BuildRecord,
  type BuiltImage,
  buildRecordFromText,
  buildRecordText,
  type ReleaseReport,
} from '../bake/build-record.ts';
import type { BuiltRelease } from '../bake/build-release.ts';
import { definitionOf } from '../bake/withdrawals.ts';
import type { Repository } from '../git/repository.ts';
import type { Draft } from '../git/write-objects.ts';
import { type BuildFiles, readBuildFile, writeBuildFiles } from '../ledger/build-files.ts';
import { chainOf, type Ledger, readReleaseText, releaseOf } from '../ledger/ledger.ts';
import type { RecordedRelease } from '../ledger/read-chain.ts';
import { type ReportPageInput, reportPage } from '../page/report-page.ts';
import type { Steps } from '../smoke/steps.ts';
import { writeNotes } from './build-journal.ts';

export interface ReportedBuild {
  readonly repository: Repository;
  readonly branch: string;
  readonly built: BuiltRelease;
  readonly steps: Steps;
  /** Gets a sentence where the report cannot be written. */
  readonly say: (sentence: string) => void;
}

type BuildEnd =
  | {
      readonly outcome: 'tested' | 'built';
      readonly id: string;
      readonly names: readonly string[];
      readonly digests: BuiltImage['digests'];
    }
  | { readonly outcome: 'failed'; readonly why: string };

/**
 * An image is not worse for want of its report, so what is in the way is only told. `notes` are for the journal, and are
 * written with the report, which takes half the time, or without it.
 */
export function writeBuildReport(
  build: ReportedBuild,
  end: BuildEnd,
  others: BuildFiles = {},
  notes: readonly Draft[] = [],
): void {
  const { repository, branch, built, say } = build;
  try {
    const record = withTest(build, recordOf(build, end));
    const time = Math.floor(Date.parse(record.finished) / 1000);
    const files = { ...others, 'build.json': buildRecordText(record), 'report.html': pageOf(build, record) };
    writeBuildFiles(repository, branch, { revision: built.commit.revision, time }, files, notes);
  } catch (error) {
    writeNotes(repository, branch, notes);
    say(`the report was not written: ${(error as Error).message}`);
  }
}

function pageOf({ repository, built }: ReportedBuild, build: BuildRecord): string {
  const { texts, definition, ledger } = built.release;
  const read = { revision: built.commit.revision, definition, report: texts['report.json'] };
  return reportPage({ ...releasePart(repository, ledger, read), build });
}

function recordOf({ built, steps }: ReportedBuild, end: BuildEnd): BuildRecord {
  const isGood = end.outcome !== 'failed';
  return {
    revision: built.commit.revision,
    outcome: end.outcome,
    why: isGood ? null : end.why,
    finished: new Date().toISOString(),
    image: isGood ? { id: end.id, names: end.names, digests: end.digests, layer: sizeOf(built.layers) } : null,
    steps: steps.finished,
    verdicts: steps.verdicts,
  };
}

function sizeOf(layers: BuiltRelease['layers']): number {
  return layers.reduce((size, { tar }) => size + tar.length, 0);
}

/** The very image that has been tested is not called untested because it was built once more. */
function withTest({ repository, branch }: ReportedBuild, record: BuildRecord): BuildRecord {
  if (record.outcome !== 'built') return record;
  const text = readBuildFile(repository, branch, record.revision, 'build.json');
  const before = text === undefined ? undefined : buildRecordFromText(text);
  const isTested = before?.outcome === 'tested' && before.image !== null && before.image.id === record.image?.id;
  if (!isTested) return record;
  const names = [...new Set([...before.image.names, ...record.image.names])];
  return {
    ...before,
    image: { ...record.image, names, digests: { ...before.image.digests, ...record.image.digests } },
  };
}

// ── Release page ─────────────────────────────────────────────────────────────────────────────────────────────────────

// All that is recorded about a release, as the input of its page.

/** The parts of the page that are known before the build is recorded. */
type ReleasePart = Omit<ReportPageInput, 'build'>;

/** Reads the page of a release from the ledger. */
export function releasePage(repository: Repository, ledger: Ledger, release: RecordedRelease): ReportPageInput {
  const { branch } = ledger;
  const { revision } = release.release;
  const read = {
    revision,
    definition: definitionOf(repository, release),
    report: readReleaseText(repository, release, 'report.json'),
  };
  const record = readBuildFile(repository, branch, revision, 'build.json');
  return {
    ...releasePart(repository, ledger, read),
    build: (record === undefined ? undefined : buildRecordFromText(record)) ?? null,
  };
}

interface ReadRelease {
  readonly revision: string;
  readonly definition: Definition;
  /** The text of `report.json`. */
  readonly report: string;
}

/** Makes the part of a release, even one that is not in the ledger that was read. */
function releasePart(
  repository: Repository,
  ledger: Ledger,
  { revision, definition, report }: ReadRelease,
): ReleasePart {
  const { since } = JSON.parse(report) as ReleaseReport;
  const before = since === null ? releaseBefore(ledger, revision) : releaseOf(ledger, since);
  const previous = before && {
    revision: before.release.revision,
    definition: definitionOf(repository, before),
  };
  return { branch: ledger.branch, report: JSON.parse(report) as ReleaseReport, definition, previous: previous ?? null };
}

function releaseBefore(ledger: Ledger, revision: string): RecordedRelease | undefined {
  if (releaseOf(ledger, revision) === undefined) return ledger.releases.at(-1);
  const before = chainOf(ledger, revision).at(-2);
  return before && releaseOf(ledger, before.revision);
}
