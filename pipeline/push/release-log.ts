/** The releases of a branch, and one of them in full, as texts: what is recorded, and what became of their images. */

import type { Release } from '../../compiler/definition/migration.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { type ReleaseReport, reportFrom } from '../bake/build-record.ts';
import { migrationWords } from '../bake/compared-releases.ts';
import { callerParts } from '../difference/difference-text.ts';
import type { Repository } from '../git/repository.ts';
import { chainOf, ledgerBranches, readLedger, readReleaseText, readReleaseTexts, releaseOf } from '../ledger/ledger.ts';
import type { RecordedRelease } from '../ledger/read-chain.ts';
import { buildOf, type FinishedBuild, isTested, type Journal, readJournal } from './build-journal.ts';
import { PushRefusal } from './settings.ts';

/** Lists the releases, newest first. */
export function logLines(repository: Repository, branch: string): readonly string[] {
  const { releases } = readLedger(repository, branch);
  const journal = readJournal(repository, branch);
  const entries = releases.toReversed().map((release) => {
    const report = reportOf(repository, release);
    return [headLine(report), ...entryLines(report, journal).map(indented)];
  });
  return entries.length === 0 ? [`\`${branch}\` has no releases`] : entries.flat();
}

/** The report, what becomes of a database in use, how the API differs, and the SQL with its hazards. */
export function showLines(repository: Repository, revision: string, branches: readonly string[]): readonly string[] {
  const { branch, ledger, release } = found(repository, revision, branches);
  const texts = readReleaseTexts(repository, release);
  const report = reportFrom(texts['report.json']);
  return [
    `release   ${report.revision}`,
    `branch    ${branch}`,
    `subject   ${report.subject}`,
    `committed ${report.committed}`,
    ...imageLines(readJournal(repository, branch), report.revision),
    `has       ${plural(report.models, 'model')}, ${plural(report.endpoints, 'endpoint')}`,
    '',
    ...databaseLines(report, chainOf(ledger, report.revision)),
    '',
    ...changeLines(report),
    '',
    ...texts['migration.sql'].trimEnd().split('\n'),
  ];
}

export function reportOf(repository: Repository, release: RecordedRelease): ReleaseReport {
  return reportFrom(readReleaseText(repository, release, 'report.json'));
}

function headLine({ revision, committed, subject }: ReleaseReport): string {
  return `${revision.slice(0, 12)}  ${committed.replace('T', ' ').replace(/(\.\d+)?Z$/, '')}  ${subject}`;
}

function entryLines(report: ReleaseReport, journal: Journal): readonly string[] {
  const database = report.database.length === 0 ? ['no change'] : report.database;
  return [
    ...database.map((what) => `database  ${what}`),
    `api       ${apiSummary(report)}`,
    ...imageLines(journal, report.revision),
  ];
}

function apiSummary({ endpoints, difference }: ReleaseReport): string {
  if (difference === null) return `${endpoints} added`;
  const counts = (['breaking', 'compatible'] as const).map((level) => ({
    level,
    count: difference.api.filter((change) => change.level === level).length,
  }));
  const found = counts.filter(({ count }) => count > 0).map(({ level, count }) => `${count} ${level}`);
  return found.join(', ') || 'no change';
}

function databaseLines({ database, since }: ReleaseReport, releases: readonly Release[]): readonly string[] {
  const from = releases.findIndex(({ revision }) => revision === since) + 1;
  const lines = releases.length === 1 ? database : migrationWords(releases, from === 0 ? undefined : from);
  return ['Database', ...lines.map(indented)];
}

function changeLines(report: ReleaseReport): readonly string[] {
  const { difference, breaking, reviewed } = report;
  const first = ['API', indented(apiSummary(report))];
  const lines = difference === null ? first : callerParts(difference, { colour: false });
  const reasons = [
    ...breaking.map((reason) => `reason for breaking changes: ${reason}`),
    ...reviewed.map((reason) => `reason for rules of access: ${reason}`),
  ];
  return [...lines, ...(reasons.length > 0 ? ['', ...reasons] : [])];
}

function imageLines(journal: Journal, revision: string): readonly string[] {
  const build = buildOf(journal, revision);
  return [`image     ${buildText(journal, build)}`, ...registryLines(build)];
}

function buildText(journal: Journal, build: FinishedBuild | undefined): string {
  if (build === undefined) return 'not built';
  if (build.outcome === 'failed') return `failed: ${build.why}`;
  if (build.outcome === 'unpushed') return `${build.image}, not pushed: ${build.why}`;
  const isUntested = build.outcome === 'built' && !isTested(journal, build);
  return isUntested ? `${build.image}, built by \`kiln build\`, not tested` : build.image;
}

function registryLines(build: FinishedBuild | undefined): readonly string[] {
  const digests = build?.outcome === 'built' || build?.outcome === 'tested' ? build.digests : undefined;
  return Object.entries(digests ?? {}).map(([name, digest]) => `pushed    ${name}@${digest}`);
}

/** Finds a release on the first of these branches that has it, or on any other. */
export function found(repository: Repository, revision: string, branches: readonly string[]) {
  for (const branch of new Set([...branches, ...ledgerBranches(repository)])) {
    const ledger = readLedger(repository, branch);
    const release = releaseOf(ledger, revision);
    if (release) return { branch, ledger, release };
  }
  throw new PushRefusal(`${revision.slice(0, 12)} is not a release; \`kiln pipeline log\` lists them`);
}

function indented(line: string): string {
  return `  ${line}`;
}
