/** What a release does to a database that is in use, in a few lines: for whoever pushes, and for `kiln pipeline show`. */
import {
  type Hazard,
  type LockMode,
  type MigrationStep,
  type Release,
  statementsOf,
} from '../../compiler/definition/migration.ts';
import { safetyOf } from './safety.ts';

/** Of the last of these releases, oldest first. Nothing for the first one: nobody uses its database yet. */
export function migrationWords(releases: readonly Release[]): readonly string[] {
  const [release, safety] = [releases.at(-1), safetyOf(releases)];
  if (release === undefined || safety === null) return [];
  const { position, reason } = safety;
  const safe = `safe beside release ${position}: ${reason === null ? 'yes' : `no: ${reason}`}`;
  const later = laterWords(release.contract ?? [], position);
  return [
    ...nowWords(hazardsOf(release.steps)),
    safe,
    ...later.map((what) => `later, when release ${position} is no longer served: ${what}`),
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
    ...[...rewritten].map((table) => `rewrites "${table}": reads and writes wait until it is done`),
    ...scanWords(hazards),
    ...unique(hazards.flatMap((hazard) => (hazard.kind === 'may-fail' ? [`may fail: ${hazard.why}`] : []))),
    ...lossWords(hazards).map((what) => `deletes ${what}`),
  ];
}

/** The strongest first: of each table only that one counts. */
const WAITING: readonly (readonly [LockMode, string])[] = [
  ['ACCESS EXCLUSIVE', 'reads and writes wait for a moment'],
  ['SHARE ROW EXCLUSIVE', 'writes wait for a moment'],
  ['SHARE', 'writes wait for a moment'],
];

/** Weaker locks hold up no requests. */
function lockWords(hazards: readonly Hazard[]): readonly string[] {
  const words = new Map<string, string>();
  for (const [mode, waiting] of WAITING) {
    for (const hazard of hazards) {
      const isNew = hazard.kind === 'lock' && hazard.mode === mode && !words.has(hazard.table);
      if (isNew) words.set(hazard.table, `locks "${hazard.table}": ${waiting}`);
    }
  }
  return [...words.values()];
}

type Scan = Extract<Hazard, { kind: 'scan' }>;

const BLOCKED: readonly (readonly [Scan['blocks'], string])[] = [
  ['everything', 'reads and writes wait until it is done'],
  ['writes', 'writes wait until it is done'],
  ['nothing', 'nothing waits'],
];

function scanWords(hazards: readonly Hazard[]): readonly string[] {
  const scans = hazards.filter((hazard): hazard is Scan => hazard.kind === 'scan');
  return unique(scans.map(({ table }) => table)).map((table) => {
    const ofTable = scans.filter((scan) => scan.table === table);
    const [, waiting] = BLOCKED.find(([blocks]) => ofTable.some((scan) => scan.blocks === blocks)) ?? [];
    return `scans "${table}": ${waiting}`;
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
