/** Tells what a migration would run, and runs none of it. */
import { type MigrationStep, type ReleaseChain, statementsOf } from '../../compiler/definition/migration.ts';
import { contractSteps } from './contraction.ts';
import type { Report, StepPosition } from './events.ts';
import type { Deed } from './plan.ts';
import { schemaStatements } from './schema-statements.ts';
import { stepsInSchema } from './steps-in-schema.ts';
import { turnsOf } from './turns.ts';

/** `schema` is that of the application. */
export function tellDeed(chain: ReleaseChain, deed: Deed, schema: string, report: Report): void {
  if (deed.kind === 'schema') tellSchema(chain, deed.partsDone, report);
  if (deed.kind === 'release') {
    const { position, release, stepsDone } = deed;
    const steps = stepsInSchema(release.steps, release, schema);
    tellSteps({ position, revision: release.revision }, steps, stepsDone, report);
  }
  if (deed.kind === 'withdraw' && deed.undoing) {
    const { progress, beside, steps, stepsDone } = deed.undoing;
    const place = { position: progress.position, revision: progress.revision, phase: 'withdraw' } as const;
    tellSteps(place, stepsInSchema(steps, { beside }, schema), stepsDone, report);
  }
  if (deed.kind === 'contract') {
    const { position, release, stepsDone } = deed.contraction;
    const place = { position, revision: release.revision, phase: 'contract' } as const;
    tellSteps(place, stepsInSchema(contractSteps(release), release, schema), stepsDone, report);
  }
}

function tellSchema(chain: ReleaseChain, partsDone: number, report: Report): void {
  for (const { place, statement } of schemaStatements(chain).slice(partsDone)) {
    report({ kind: 'would-run', ...place, how: 'schema', statements: [statement], pending: null });
  }
}

function tellSteps(
  place: Omit<StepPosition, 'step' | 'steps'>,
  steps: readonly MigrationStep[],
  stepsDone: number,
  report: Report,
): void {
  for (const { step, done } of turnsOf(steps, stepsDone, place.phase)) {
    tellStep({ ...place, step: done, steps: steps.length }, step, report);
  }
}

function tellStep(place: StepPosition, step: MigrationStep, report: Report): void {
  const pending = step.kind === 'backfill' ? step.pending : null;
  report({ kind: 'would-run', ...place, how: step.kind, statements: statementsOf(step), pending });
}
