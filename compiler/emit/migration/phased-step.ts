/** Statements and the phase of a migration at which each of them has its turn. */
import type { Change } from '../../change/change.ts';
import type { Hazard, LockMode, MigrationStatement, MigrationStep } from '../../definition/migration.ts';

/**
 * In order. First what the previous release needs is kept for it. Up to `link` the tables get their shape, in transactions;
 * then values are filled in, proved to be there and indexed while others work; in the end, in transactions again, the
 * constraints hold and what is to go is gone.
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
  /** When the previous release is no longer served. */
  readonly isLater?: boolean;
  /** What it is done for. It is not part of the release: only a difference shows it. */
  readonly about?: About;
  /** Takes it back while the previous release is served. Missing where the previous release is gone by then. */
  readonly undo?: readonly PhasedStep[];
  /** What is not taken back: values that were changed in place. */
  readonly remains?: readonly string[];
}

/** A part goes by the names that it has after all renames, or by those of before where it is looked at first. */
export type About = Change | { readonly kind: 'part'; readonly table: string; readonly column: string | null };

/** What is known more closely stays. */
export function isAbout(about: About, placed: readonly PhasedStep[]): readonly PhasedStep[] {
  return placed.map((part) => ({ about, ...part }));
}

/** In the order in which they are run. None where there is nothing to take back. */
export function undoneBy(part: PhasedStep, ...undo: readonly PhasedStep[]): PhasedStep {
  return { ...part, undo };
}

export function later(placed: readonly PhasedStep[]): readonly PhasedStep[] {
  return placed.map((part) => ({ ...part, isLater: true }));
}

/** Part of a transaction. */
export function within(phase: Phase, sql: string, says: string, hazards: readonly Hazard[] = []): PhasedStep {
  return { phase, step: { kind: 'transaction', statements: [statementOf(sql, says, hazards)] } };
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
