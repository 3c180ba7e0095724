/** All that is recorded about a release, as the input of its page. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { buildRecordFromText } from '../bake/build-record.ts';
import type { ReleaseReport } from '../bake/report.ts';
import type { Repository } from '../git/repository.ts';
import { readBuildFile } from '../ledger/build-files.ts';
import { chainOf, type Ledger, readReleaseText, releaseOf } from '../ledger/ledger.ts';
import type { RecordedRelease } from '../ledger/read-chain.ts';
import { recordedDefinition } from '../ledger/recorded-definition.ts';
import type { ReportPageInput } from '../page/report-page.ts';

/** What a page needs of a release before there is a record of its build. */
type ReleasePart = Omit<ReportPageInput, 'build'>;

/** As the ledger has it. */
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

/** Also of a release that the ledger, as it was read, does not have yet. */
export function releasePart(
  repository: Repository,
  ledger: Ledger,
  { revision, definition, report }: ReadRelease,
): ReleasePart {
  const { since } = JSON.parse(report) as ReleaseReport;
  const before = since === undefined ? releaseBefore(ledger, revision) : releaseOf(ledger, since);
  const previous = before && {
    revision: before.release.revision,
    definition: definitionOf(repository, before),
  };
  return {
    branch: ledger.branch,
    report: JSON.parse(report) as ReleaseReport,
    definition,
    previous: previous ?? null,
  };
}

function releaseBefore(ledger: Ledger, revision: string): RecordedRelease | undefined {
  if (releaseOf(ledger, revision) === undefined) return ledger.releases.at(-1);
  const before = chainOf(ledger, revision).at(-2);
  return before && releaseOf(ledger, before.revision);
}

export function definitionOf(repository: Repository, release: RecordedRelease): Definition {
  const text = readReleaseText(repository, release, 'definition.json');
  return recordedDefinition(text, `the release ${release.release.revision.slice(0, 12)}`);
}
