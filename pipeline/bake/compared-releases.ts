/** The releases that a release is compared with and tested from: those whose images somebody may run. */

import {
  contractedOnTheWay,
  type Hazard,
  hopsFrom,
  type LockMode,
  type MigrationStep,
  type Release,
  statementsOf,
  stepsFrom,
  type Withdrawal,
} from '../../compiler/definition/migration.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { hazardWords } from '../../compiler/difference/hazard-words.ts';
import type { Repository } from '../git/repository.ts';
import { readDeployments } from '../ledger/deployments.ts';

/** Whether the image of a release failed its test. */
export type HasFailed = (revision: string) => boolean;

/**
 * The position of the newest of these releases that passed its test, from 1; 0 where none did. If the `next` release
 * withdraws releases from which databases cannot reach it, only those before them count.
 */
export function passedBefore(releases: readonly Release[], hasFailed: HasFailed, next?: Release): number {
  const left = (next?.withdraws ?? []).filter(({ isOnlyWay }) => isOnlyWay).map(({ revision }) => revision);
  const end = releases.findIndex(({ revision }) => left.includes(revision));
  const usable = end < 0 ? releases : releases.slice(0, end);
  return usable.findLastIndex(({ revision }) => !hasFailed(revision)) + 1;
}

/** One that is recorded as live, by `kiln pipeline deployed`. */
export interface LiveRelease {
  /** The position in the ledger, from 1. */
  readonly position: number;
  readonly revision: string;
  readonly environments: readonly string[];
}

/** Lists the live ones among these releases, without the one at `except`, oldest first. */
export function liveReleases(
  repository: Repository,
  branch: string,
  releases: readonly Release[],
  except: number,
): readonly LiveRelease[] {
  const deployments = readDeployments(repository).filter((deployment) => deployment.branch === branch);
  return releases.flatMap(({ revision }, at) => {
    const environments = deployments.filter((each) => each.revision === revision).map(({ environment }) => environment);
    return environments.length === 0 || at + 1 === except ? [] : [{ position: at + 1, revision, environments }];
  });
}

/** `release 3 (86ad6bd1da51), live in production` */
export function liveText({ position, revision, environments }: LiveRelease): string {
  return `release ${position} (${revision.slice(0, 12)}), live in ${environments.join(' and ')}`;
}

// ── Safety ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// Whether images of the previous release go on working while a release is rolled out.

interface Safety {
  /** The position of the previous release in the ledger, from 1. */
  readonly position: number;
  /** Why it is not safe; null where it is. */
  readonly reason: string | null;
}

/**
 * Tells whether the last of these releases (oldest first) is safe beside the one at this position; null where there is
 * none there.
 */
export function safetyOf(releases: readonly Release[], position = releases.length - 1): Safety | null {
  if (position < 1 || position >= releases.length) return null;
  const between = contractedOnTheWay(hopsFrom(releases, position));
  if (!between) return { position, reason: null };
  const { position: at, release } = between;
  const ways = `roll out release ${at} first, or stop the servers of release ${position}, or give release ${at} up with \`Withdraws: ${release.revision.slice(0, 12)}\``;
  return { position, reason: `what release ${at} keeps for it is removed on the way; ${ways}` };
}

// ── Migration words ──────────────────────────────────────────────────────────────────────────────────────────────────

// A summary of what a release does to a database that is in use, for the person who pushes and for `kiln pipeline
// show`.

/**
 * Describes the migration to the last of these releases (oldest first) from the one at this position. Empty for the
 * first release: nobody uses its database yet.
 */
export function migrationWords(releases: readonly Release[], from = releases.length - 1): readonly string[] {
  const [release, safety] = [releases.at(-1), safetyOf(releases, from)];
  if (release === undefined || safety === null) return [];
  const { position, reason } = safety;
  const safe = `safe beside release ${position}: ${reason === null ? 'yes' : `no: ${reason}`}`;
  const { now, later } = stepsFrom(releases, from);
  return [
    ...failedWords(releases, from),
    ...nowWords(hazardsOf(now)),
    safe,
    ...(release.withdraws ?? []).flatMap((withdrawal) => withdrawalWords(withdrawal, releases)),
    ...laterWords(later, position).map((what) => `later, when release ${position} is no longer served: ${what}`),
  ];
}

function failedWords(releases: readonly Release[], from: number): readonly string[] {
  const failed = releases.slice(from, -1).map(({ revision }, at) => `${from + at + 1} (${revision.slice(0, 12)})`);
  if (failed.length === 0) return [];
  return [
    `compared with release ${from}, because ${failed.length === 1 ? 'release' : 'releases'} ${failed.join(', ')} failed`,
  ];
}

/** Describes what databases do that have not completed the withdrawn release. */
function withdrawalWords({ revision, steps, undo }: Withdrawal, releases: readonly Release[]): readonly string[] {
  const at = releases.findIndex((release) => release.revision === revision);
  const remains = undo.flatMap((each) => each.steps.flatMap((step) => step.remains ?? []));
  const how = steps.length === 0 ? 'without a change' : `in ${plural(steps.length, 'step')}`;
  const before = releases.findIndex(({ withdraws = [] }) => withdraws.some((each) => each.revision === revision));
  const again = before === releases.length - 1 ? '' : ` again, after release ${before + 1}`;
  return [
    `withdraws release ${at + 1} (${revision.slice(0, 12)})${again}: databases without it come from release ${at} ${how}`,
    ...unique([...nowWords(hazardsOf(steps)), ...remains.map((what) => `not undone: ${what}`)]).map(
      (what) => `  ${what}`,
    ),
  ];
}

function hazardsOf(steps: readonly MigrationStep[]): readonly Hazard[] {
  return steps.flatMap(statementsOf).flatMap(({ hazards }) => hazards);
}

/** Makes a line for each kind and table. */
function nowWords(hazards: readonly Hazard[]): readonly string[] {
  const rewritten = new Set(hazards.flatMap((hazard) => (hazard.kind === 'rewrite' ? [hazard.table] : [])));
  return [
    ...lockWords(hazards.filter((hazard) => hazard.kind !== 'lock' || !rewritten.has(hazard.table))),
    ...[...rewritten].map((table) => hazardWords({ kind: 'rewrite', table })),
    ...scanWords(hazards),
    ...unique(hazards.filter(({ kind }) => kind === 'may-fail').map(hazardWords)),
    ...hazards.filter(({ kind }) => kind === 'data-loss' || kind === 'shared-values').map(hazardWords),
  ];
}

/** The strongest first: of each table only that one counts. */
const WAITED_FOR: readonly LockMode[] = ['ACCESS EXCLUSIVE', 'SHARE ROW EXCLUSIVE', 'SHARE'];

/** Describes the locks. Weaker locks do not block requests. */
function lockWords(hazards: readonly Hazard[]): readonly string[] {
  const words = new Map<string, string>();
  for (const mode of WAITED_FOR) {
    for (const hazard of hazards) {
      const isNew = hazard.kind === 'lock' && hazard.mode === mode && !words.has(hazard.table);
      if (isNew) words.set(hazard.table, hazardWords(hazard));
    }
  }
  return [...words.values()];
}

type Scan = Extract<Hazard, { kind: 'scan' }>;

/** The most first: of each table only that counts. */
const BLOCKED: readonly Scan['blocks'][] = ['everything', 'writes', 'nothing'];

function scanWords(hazards: readonly Hazard[]): readonly string[] {
  const scans = hazards.filter((hazard): hazard is Scan => hazard.kind === 'scan');
  return unique(scans.map(({ table }) => table)).flatMap((table) => {
    const ofTable = scans.filter((scan) => scan.table === table);
    const worst = BLOCKED.flatMap((blocks) => ofTable.find((scan) => scan.blocks === blocks) ?? [])[0];
    return worst ? [hazardWords(worst)] : [];
  });
}

function lossWords(hazards: readonly Hazard[]): readonly string[] {
  return hazards.flatMap((hazard) => (hazard.kind === 'data-loss' ? [hazard.what] : []));
}

function laterWords(contract: readonly MigrationStep[], position: number): readonly string[] {
  const isMore = contract.flatMap(statementsOf).some(({ hazards }) => lossWords(hazards).length === 0);
  const losses = lossWords(hazardsOf(contract)).map((what) => `delete ${what}`);
  return [...losses, ...(isMore ? [`remove what only release ${position} needs`] : [])];
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
