/** The steps of a migration as people read them: what each statement does, what it may cost, and its SQL. */
import { hazardText, type MigrationStatement, type MigrationStep } from '../../definition/migration.ts';

export function migrationSql(steps: readonly MigrationStep[], contract: readonly MigrationStep[] = []): string {
  const now = [steps.length === 0 ? NOTHING : HEAD, ...stepTexts(steps)];
  const later = contract.length === 0 ? [] : [LATER, ...stepTexts(contract)];
  return `${[...now, ...later].join('\n\n')}\n`;
}

function stepTexts(steps: readonly MigrationStep[]): readonly string[] {
  return steps.map((step, at) => `-- ── Step ${at + 1} of ${steps.length}: ${stepText(step)}`);
}

const HEAD = '-- What `migrate` does to a database of the previous release.';
const LATER =
  '-- ══ Later, when the previous release is no longer served: what the next `migrate`, or `migrate --contract`, does first.';
const NOTHING = '-- The database of the previous release needs no change.';

function stepText(step: MigrationStep): string {
  switch (step.kind) {
    case 'transaction':
      return ['in a transaction', 'BEGIN;', ...step.statements.map(statementText), 'COMMIT;'].join('\n\n');
    case 'index':
      return `outside of any transaction\n\n${statementText(step.statement)}`;
    case 'backfill':
      return [
        'some rows at a time, until none is left',
        `-- which rows are left\n${step.pending}`,
        statementText(step.statement),
      ].join('\n\n');
  }
}

function statementText({ says, hazards, sql }: MigrationStatement): string {
  return [`-- ${says}`, ...hazards.map((hazard) => `--   ${hazardText(hazard)}`), sql].join('\n');
}
