import {
  compatibilitySchema,
  compatibilitySchemaIn,
  type MigrationStatement,
  type MigrationStep,
  type Release,
} from '../../compiler/definition/migration.ts';

/**
 * Steps of a release as they are run for an application whose tables are in this schema. Checksums are those of the steps
 * as they are in the chain.
 */
export function stepsInSchema(
  steps: readonly MigrationStep[],
  { beside }: Pick<Release, 'beside'>,
  schema: string,
): readonly MigrationStep[] {
  if (beside === undefined) return steps;
  const [written, own] = [compatibilitySchema(beside), compatibilitySchemaIn(schema, beside)];
  return written === own ? steps : steps.map((step) => renamedIn(step, (text) => text.replaceAll(written, own)));
}

type Rename = (text: string) => string;

function renamedIn(step: MigrationStep, rename: Rename): MigrationStep {
  const renamed = (statement: MigrationStatement) => ({ ...statement, sql: rename(statement.sql) });
  switch (step.kind) {
    case 'transaction':
      return { ...step, statements: step.statements.map(renamed) };
    case 'index':
      return { ...step, statement: renamed(step.statement) };
    case 'backfill':
      return { ...step, pending: rename(step.pending), statement: renamed(step.statement) };
  }
}
