import { createHash } from 'node:crypto';
import type { MigrationStep } from '../../compiler/definition/migration.ts';

/** Of all that is run, in order. The words about it and its hazards may be put better without being another release. */
export function stepsChecksum(steps: readonly MigrationStep[]): string {
  return createHash('sha256')
    .update(JSON.stringify(steps.map(partsThatRun)))
    .digest('hex');
}

function partsThatRun(step: MigrationStep): readonly unknown[] {
  switch (step.kind) {
    case 'transaction':
      return [step.kind, step.statements.map(({ sql }) => sql)];
    case 'index':
      return [step.kind, step.name, step.statement.sql];
    case 'backfill':
      return [step.kind, step.pending, step.statement.sql];
  }
}
