/** The statements of a migration, each with its phase. */
import type { Change } from '../../change/change.ts';
import type { Hazard, LockMode, MigrationStatement, MigrationStep } from '../../definition/migration.ts';
import { quotedName } from '../../definition/sql/sql.ts';

/**
 * The phases, in order. First, what the previous release needs is retained for it. Up to `link` the tables get their
 * shape, in transactions; then values are filled in, checked and indexed while others work; in the end, in transactions
 * again, the constraints are set and what is to go is dropped.
 */
export const PHASES = [
  'check',
  'keep',
  'hide',
  'unfollow',
  'unlink',
  'retire',
  'rename',
  'rename-value',
  'add-value',
  'make-type',
  'make-table',
  'alter',
  'check-fill',
  'follow',
  'link',
  'index-new',
  'fill',
  'promise',
  'prove',
  'index',
  'require',
  'give-back',
  'drop-key',
  'drop-column',
  'drop-table',
  'drop-type',
  'drop-schema',
] as const;

export type Phase = (typeof PHASES)[number];

export interface PhasedStep {
  readonly phase: Phase;
  readonly step: MigrationStep;
  /** Whether it runs when the previous release is no longer served. */
  readonly isLater?: boolean;
  /** The change that it belongs to. It is not part of the release: only a difference shows it. */
  readonly about?: About;
  /** Undoes it while the previous release is served. Absent if the previous release is gone by then. */
  readonly undo?: readonly PhasedStep[];
  /** The changes that are not undone: values that were changed in place. */
  readonly remains?: readonly string[];
}

/**
 * The reason for a step. A part goes by the names after all renames, or by the previous names if it is checked first.
 */
export type About = Change | { readonly kind: 'part'; readonly table: string; readonly column: string | null };

/** Sets the reason of steps that have none yet. */
export function isAbout(about: About, placed: readonly PhasedStep[]): readonly PhasedStep[] {
  return placed.map((part) => ({ about, ...part }));
}

/** Adds the steps that undo it, in the order in which they run; none if there is nothing to undo. */
export function undoneBy(part: PhasedStep, ...undo: readonly PhasedStep[]): PhasedStep {
  return { ...part, undo };
}

export function later(placed: readonly PhasedStep[]): readonly PhasedStep[] {
  return placed.map((part) => ({ ...part, isLater: true }));
}

/** A statement in a transaction. */
export function within(phase: Phase, sql: string, says: string, hazards: readonly Hazard[] = []): PhasedStep {
  return { phase, step: { kind: 'transaction', statements: [statementOf(sql, says, hazards)] } };
}

/** Alters a table, which is locked for that. `act` is what follows the name of the table. */
export function altered(
  phase: Phase,
  table: string,
  act: string,
  says: string,
  hazards: readonly Hazard[] = [lock(table)],
): PhasedStep {
  return within(phase, `ALTER TABLE ${quotedName(table)} ${act};`, says, hazards);
}

export function statementOf(sql: string, says: string, hazards: readonly Hazard[] = []): MigrationStatement {
  return { sql, says, hazards };
}

export function lock(table: string, mode: LockMode = 'ACCESS EXCLUSIVE'): Hazard {
  return { kind: 'lock', table, mode };
}

export function mayFail(why: string): Hazard {
  return { kind: 'may-fail', why };
}

export function scan(table: string, blocks: 'nothing' | 'writes' | 'everything' = 'nothing'): Hazard {
  return { kind: 'scan', table, blocks };
}

/** Two tables, or one that refers to itself. */
export function locks(tables: readonly string[], mode: LockMode): readonly Hazard[] {
  return [...new Set(tables)].map((table) => lock(table, mode));
}
