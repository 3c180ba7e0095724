/** Carries out steps in order. After each one its record is committed, so that a run after a cut goes on behind it. */
import type { MigrationStep } from '../../compiler/definition/migration.ts';
import { backfill } from './backfill-step.ts';
import type { StepPosition } from './events.ts';
import { buildIndex } from './index-step.ts';
import type { Job } from './job.ts';
import { withLockAttempts } from './lock-attempts.ts';
import { withRowsInTheWay } from './rows-in-the-way.ts';
import { inTransaction, runStatement } from './statement.ts';
import { turnsOf } from './turns.ts';

interface StepsToApply {
  readonly place: Omit<StepPosition, 'step'>;
  readonly steps: readonly MigrationStep[];
  /** By a run before this one. */
  readonly stepsDone: number;
  /** Writes down how many are done, in the transaction that it is called in. */
  readonly record: (done: number) => Promise<void>;
  /** Called when the record is committed. */
  readonly reached?: (done: number) => void;
}

export async function applySteps(job: Job, { place, steps, stepsDone, record, reached }: StepsToApply): Promise<void> {
  await job.certifier?.begin();
  for (const { step, done } of turnsOf(steps, stepsDone, place.phase)) {
    const at = { ...place, step: done };
    job.report({ kind: 'step', ...at, how: step.kind });
    await applyStep(job, at, step, () => record(done));
    reached?.(done);
  }
}

async function applyStep(
  job: Job,
  place: StepPosition,
  step: MigrationStep,
  record: () => Promise<void>,
): Promise<void> {
  switch (step.kind) {
    case 'transaction':
      return applyTransaction(job, place, step, record);
    case 'index':
      await buildIndex(job, place, step);
      return inTransaction(job, record);
    case 'backfill':
      await backfill(job, place, step);
      return inTransaction(job, record);
  }
}

async function applyTransaction(
  job: Job,
  place: StepPosition,
  { statements }: Extract<MigrationStep, { kind: 'transaction' }>,
  record: () => Promise<void>,
): Promise<void> {
  let at = '';
  const certified = await withLockAttempts(
    job,
    job.locks,
    () => at,
    () =>
      inTransaction(job, async () => {
        const watch = await job.certifier?.transaction();
        for (const statement of statements) {
          at = statement.says;
          await runStatement(job, place, statement);
          await watch?.saw(place, statement);
        }
        await record();
        return watch;
      }).catch(async (error: unknown) => {
        throw await withRowsInTheWay(job.session, error);
      }),
  );
  certified?.committed();
}
