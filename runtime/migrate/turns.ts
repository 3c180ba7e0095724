/** Which steps are carried out together. */
import { type MigrationStatement, type MigrationStep, statementsOf } from '../../compiler/definition/migration.ts';
import type { StepPosition } from './events.ts';

/** One step, or several in one transaction. */
interface Turn {
  readonly step: MigrationStep;
  /** How many steps are done after it. */
  readonly done: number;
}

/**
 * What is left after the first steps. Where something is undone, a step that only looks for rows shares the transaction
 * of the step after it: so it looks again whenever that one is tried again, also after a cut, and nothing is dropped that
 * was written meanwhile. It comes first there, because the locks of the other would be held while it reads every row.
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

/** It may fail, and locks nothing that it could change. */
function onlyLooks(step: MigrationStep): boolean {
  return (
    step.kind === 'transaction' &&
    step.statements.every(
      ({ hazards }) => hazards.some(({ kind }) => kind === 'may-fail') && hazards.every(({ kind }) => kind !== 'lock'),
    )
  );
}
