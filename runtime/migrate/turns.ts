/** Groups the steps that are carried out together. */
import {
  compatibilitySchema,
  compatibilitySchemaIn,
  type MigrationStatement,
  type MigrationStep,
  type Release,
  type ReleaseChain,
  schemaParts,
  statementsOf,
} from '../../compiler/definition/migration.ts';
import type { StepPosition } from './events.ts';

/** One step, or several in one transaction. */
interface Turn {
  readonly step: MigrationStep;
  /** How many steps are done after it. */
  readonly done: number;
}

/**
 * The turns that are left after the first steps. When something is undone, a step that only looks for rows shares the
 * transaction of the next step: so it looks again whenever that one is retried, even after a broken connection, and
 * nothing that was written in the meantime is dropped. It comes first there, because the locks of the other would be
 * held while it reads every row.
 */
export function turnsOf(
  steps: readonly MigrationStep[],
  stepsDone: number,
  phase: StepPosition['phase'],
): readonly Turn[] {
  const turns: Turn[] = [];
  let looks: readonly MigrationStatement[] = [];
  for (const [index, step] of steps.entries()) {
    if (index < stepsDone) continue;
    const isShared = phase === 'withdraw' && onlyLooks(step) && steps[index + 1]?.kind === 'transaction';
    if (isShared) looks = [...looks, ...statementsOf(step)];
    else {
      turns.push({ step: after(looks, step), done: index + 1 });
      looks = [];
    }
  }
  return turns;
}

function after(looks: readonly MigrationStatement[], step: MigrationStep): MigrationStep {
  return looks.length === 0 ? step : { kind: 'transaction', statements: [...looks, ...statementsOf(step)] };
}

/** Whether the step only looks: it may fail, and locks nothing that it could change. */
function onlyLooks(step: MigrationStep): boolean {
  return (
    step.kind === 'transaction' &&
    step.statements.every(
      ({ hazards }) => hazards.some(({ kind }) => kind === 'may-fail') && hazards.every(({ kind }) => kind !== 'lock'),
    )
  );
}

/** The statements that make the tables of an empty database, each in a transaction of its own. */
export function schemaStatements(chain: ReleaseChain) {
  const { releases } = chain;
  const release = { position: releases.length, revision: releases.at(-1)?.revision ?? '' };
  const parts = schemaParts(chain);
  return parts.map((sql, at) => ({
    place: { ...release, step: at + 1, steps: parts.length },
    statement: { sql, says: 'make the tables of the empty database', hazards: [] },
  }));
}

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
  return JSON.parse(JSON.stringify(steps).replaceAll(written, own)) as readonly MigrationStep[];
}
