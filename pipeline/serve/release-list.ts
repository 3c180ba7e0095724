/**
 * All releases of a repository, read once: as long as no reference of Kiln has moved, what was read is used again, and
 * when one has, only objects that are new are read.
 */
import { type BuildRecord, buildRecordFromText } from '../bake/build-record.ts';
import type { ReleaseReport } from '../bake/report.ts';
import { readBlobs } from '../git/objects.ts';
import { referencesIn } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { readBuildFiles } from '../ledger/build-files.ts';
import { type Deployment, readDeployments } from '../ledger/deployments.ts';
import { type Ledger, ledgerBranches, readLedger } from '../ledger/ledger.ts';
import type { RecordedRelease } from '../ledger/read-chain.ts';
import type { ListedRelease } from '../page/releases-page.ts';
import { buildOf, type Journal, readJournal } from '../push/build-journal.ts';

/** A release on one of its branches. */
export interface KnownRelease {
  readonly listed: ListedRelease;
  readonly ledger: Ledger;
  readonly release: RecordedRelease;
}

export interface ReleaseList {
  readonly application: string;
  /** The newest first, by the time of their commits. */
  readonly releases: readonly KnownRelease[];
  readonly deployments: readonly Deployment[];
}

export class ReleaseReader {
  readonly #repository: Repository;
  readonly #reports = new Map<string, ReleaseReport>();
  #last: { readonly state: string; readonly list: ReleaseList } | undefined;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  list(): ReleaseList {
    const state = JSON.stringify(referencesIn(this.#repository, 'refs/kiln'));
    if (this.#last?.state !== state) this.#last = { state, list: this.#read() };
    return this.#last.list;
  }

  #read(): ReleaseList {
    const ledgers = ledgerBranches(this.#repository).map((branch) => readLedger(this.#repository, branch));
    this.#readReports(ledgers.flatMap(({ releases }) => releases.map(({ files }) => files['report.json'])));
    const deployments = readDeployments(this.#repository);
    const releases = ledgers.flatMap((ledger) => this.#releasesOf(ledger, deployments));
    const [newest] = releases.toSorted(byTime);
    const report = newest && this.#reports.get(newest.release.files['report.json']);
    return { application: report?.application ?? 'No releases yet', releases: releases.toSorted(byTime), deployments };
  }

  #readReports(ids: readonly string[]): void {
    const unknown = ids.filter((id) => !this.#reports.has(id));
    for (const [id, bytes] of readBlobs(this.#repository, unknown))
      this.#reports.set(id, JSON.parse(bytes.toString('utf8')) as ReleaseReport);
  }

  #releasesOf(ledger: Ledger, deployments: readonly Deployment[]): readonly KnownRelease[] {
    const { branch, releases } = ledger;
    const revisions = releases.map(({ release }) => release.revision);
    const records = readBuildFiles(this.#repository, branch, revisions, 'build.json');
    const journal = readJournal(this.#repository, branch);
    return releases.map((release, at) => {
      const { revision } = release.release;
      const record = buildRecordFromText(records.get(revision) ?? '');
      const listed = {
        ...this.#facts(release, record),
        branch,
        number: at + 1,
        // Builds of an earlier Kiln are only in its journal.
        outcome: record?.outcome ?? outcomeIn(journal, revision),
        live: deployments.filter((each) => each.revision === revision).map(({ environment }) => environment),
      };
      return { listed, ledger, release };
    });
  }

  #facts(
    { release, files }: RecordedRelease,
    record: BuildRecord | undefined,
  ): Omit<ListedRelease, 'branch' | 'number' | 'outcome' | 'live'> {
    const report = this.#reports.get(files['report.json']);
    const { api = [], access = [] } = report?.difference ?? {};
    return {
      revision: release.revision,
      subject: report?.subject ?? '',
      committed: report?.committed ?? '',
      breaking: api.filter(({ level }) => level === 'breaking').length,
      weaker: access.filter(({ direction }) => direction === 'weaker').length,
      warned: (record?.verdicts ?? []).filter(({ outcome }) => outcome === 'warned').length,
    };
  }
}

/** What was tested and did not get into its registry is tested. */
function outcomeIn(journal: Journal, revision: string): ListedRelease['outcome'] {
  const outcome = buildOf(journal, revision)?.outcome ?? null;
  return outcome === 'unpushed' ? 'tested' : outcome;
}

function byTime({ listed: a }: KnownRelease, { listed: b }: KnownRelease): number {
  return b.committed.localeCompare(a.committed) || a.branch.localeCompare(b.branch) || b.number - a.number;
}
