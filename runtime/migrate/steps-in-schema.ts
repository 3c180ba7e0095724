import {
  compatibilitySchema,
  compatibilitySchemaIn,
  type MigrationStatement,
  type MigrationStep,
  type Release,
} from '../../compiler/definition/migration.ts';

/**
 * Steps of a release as they are run for an application whose tables are in this schema. Checksums are those of the steps
 * as they are in the chain. The compatibility schema is there before the first step. When they are undone, the servers of
 * the release before stay, so it is emptied and not dropped.
 */
export function stepsInSchema(
  steps: readonly MigrationStep[],
  { beside }: Pick<Release, 'beside'>,
  schema: string,
  isUndone = false,
): readonly MigrationStep[] {
  if (beside === undefined) return steps;
  const [written, own] = [compatibilitySchema(beside), compatibilitySchemaIn(schema, beside)];
  const kept = `CREATE SCHEMA "${own}"; GRANT USAGE ON SCHEMA "${own}" TO PUBLIC;`;
  return steps.map((step) =>
    renamedIn(step, (text) => {
      const sql = text.replaceAll(written, own).replace(/^CREATE SCHEMA (?!IF)/, 'CREATE SCHEMA IF NOT EXISTS ');
      return isUndone && /^DROP SCHEMA /.test(sql) ? `${sql} ${kept}` : sql;
    }),
  );
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
