/** Statements and the moment of a migration at which each of them has its turn. */
import type { Hazard, LockMode, MigrationStatement, MigrationStep } from '../../definition/migration.ts';

/**
 * In order. Up to `link` the tables get their shape, in a transaction; then values are filled in, proved to be there and
 * indexed while others work; in the end, in a transaction again, the constraints hold and what is to go is gone.
 */
export const MOMENTS = [
  'unlink',
  'rename',
  'rename-value',
  'add-value',
  'make-type',
  'make-table',
  'retype',
  'alter',
  'link',
  'index-new',
  'fill',
  'promise',
  'prove',
  'index',
  'require',
  'drop-key',
  'drop-column',
  'drop-table',
  'drop-type',
] as const;

export type Moment = (typeof MOMENTS)[number];

export interface Placed {
  readonly moment: Moment;
  readonly step: MigrationStep;
}

/** Part of a transaction. */
export function within(moment: Moment, sql: string, says: string, hazards: readonly Hazard[] = []): Placed {
  return { moment, step: { kind: 'transaction', statements: [statementOf(sql, says, hazards)] } };
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
