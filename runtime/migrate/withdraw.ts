/**
 * Undoes what a database has of a release that is given up, and records that release as withdrawn. Servers of the release
 * before go on meanwhile, as they did on the way there. A run after a cut goes on behind the last step.
 */

import { type Release, withdrawnMark } from '../../compiler/definition/migration.ts';
import { applySteps } from './apply-steps.ts';
import type { Job } from './job.ts';
import { forgetProgress, recordProgress, recordWithdrawn } from './ledger.ts';
import type { WithdrawDeed } from './plan.ts';
import { inTransaction } from './statement.ts';
import { stepsInSchema } from './steps-in-schema.ts';
import type { Undoing } from './withdrawal.ts';

export async function withdraw(job: Job, deed: WithdrawDeed): Promise<void> {
  const { report } = job;
  const { from, until, undoing } = deed;
  const { releases } = job.chain;
  const { revision } = releases[from] as Release;
  const start = performance.now();
  const steps = undoing ? undoing.steps.length - undoing.stepsDone : 0;
  report({ kind: 'withdraw', position: from + 1, revision, by: until, steps });
  if (undoing) await undo(job, undoing);
  const milliseconds = Math.round(performance.now() - start);
  await inTransaction(job, () => recordAll(job, deed, milliseconds));
  report({ kind: 'withdraw-done', position: from + 1, revision, milliseconds });
}

async function undo(job: Job, { progress, beside, steps, stepsDone, checksum, remains }: Undoing): Promise<void> {
  const { position, revision, milliseconds } = progress;
  for (const what of remains) job.report({ kind: 'warning', message: `This is not undone: ${what}.` });
  const record = (done: number) =>
    recordProgress(job.session, { position, revision, beside, checksum, done, milliseconds });
  // From here on the image of the release that is undone is refused, for it would go on where this begins.
  await inTransaction(job, () => record(stepsDone));
  await applySteps(job, {
    place: { position, revision, steps: steps.length, phase: 'withdraw' },
    steps: stepsInSchema(steps, { beside }, job.session.schema),
    stepsDone,
    record,
  });
}

/** Some may be recorded already, by a release that failed as well. */
async function recordAll(
  { chain: { releases }, session }: Job,
  { from, until, undoing }: WithdrawDeed,
  milliseconds: number,
): Promise<void> {
  const by = releases[until - 1] as Release;
  const { fingerprint } = releases[from - 1] as Release;
  if (undoing) await forgetProgress(session, undoing.progress.position);
  for (const [index, { revision }] of releases.slice(from, until - 1).entries()) {
    const withdrawn = { position: from + index + 1, revision, fingerprint, checksum: withdrawnMark(by.revision) };
    await recordWithdrawn(session, withdrawn, milliseconds);
  }
}
