/** What a release does to a database that is in use, in a few lines: for whoever pushes, and for `kiln pipeline show`. */
import {
  type Hazard,
  type LockMode,
  type MigrationStep,
  type Release,
  statementsOf,
  stepsFrom,
  type Withdrawal,
} from '../../compiler/definition/migration.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { hazardWords } from '../../compiler/difference/hazard-words.ts';
import { safetyOf } from './safety.ts';

/**
 * Of the last of these releases, oldest first, for databases at the one of this position. Nothing for the first one: nobody
 * uses its database yet.
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

/** What databases do that have not completed the release that is given up. */
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

/** A line for each kind and table. */
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

/** Weaker locks hold up no requests. */
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
