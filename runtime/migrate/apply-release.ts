/** Brings a release: all of an empty database at once, or the steps that lead from the previous release. */

import { partsChecksum, type Release, withdrawnMark } from '../../compiler/definition/migration.ts';
import { applySteps } from './apply-steps.ts';
import { type Leaving, outdatedServers, untilGone } from './connected-servers.ts';
import type { StepPosition } from './events.ts';
import type { Job } from './job.ts';
import { createLedger, forgetProgress, recordProgress, recordRelease, recordSteps, recordWithdrawn } from './ledger.ts';
import { withLockAttempts } from './lock-attempts.ts';
import type { ReleaseStep, WithdrawStep } from './plan.ts';
import { Refusal } from './refusal.ts';
import { inTransaction, runStatement } from './statement.ts';
import { schemaStatements, stepsInSchema } from './turns.ts';
import type { Undoing } from './withdrawal.ts';

/** Makes the whole schema, with every release that led to it. It is complete with its last part. */
export async function applySchema(job: Job, partsDone: number): Promise<void> {
  const { chain } = job;
  const start = performance.now();
  const parts = schemaStatements(chain);
  const [position, revision] = [chain.releases.length, chain.releases.at(-1)?.revision ?? ''];
  const about = { position, of: position, revision, steps: parts.length, stepsDone: partsDone };
  job.report({ kind: 'release', ...about });
  for (const { place, statement } of parts.slice(partsDone)) {
    const work = () =>
      inTransaction(job, async () => {
        if (place.step === 1) await createLedger(job.session);
        await runStatement(job, place, statement);
        await recordPart(job, place, millisecondsSince(start));
      });
    await withLockAttempts(job, job.locks, () => statement.says, work);
  }
  job.reached.releasesDone = position;
  job.reached.applied.push(...chain.releases.map((release) => release.revision));
  job.report({ kind: 'release-done', position, revision, milliseconds: millisecondsSince(start) });
}

async function recordPart({ chain, session }: Job, { step, steps }: StepPosition, milliseconds: number): Promise<void> {
  const position = chain.releases.length;
  const last = chain.releases.at(-1);
  if (last && step < steps) {
    const progress = { position, revision: last.revision, checksum: partsChecksum(chain), done: step, milliseconds };
    return recordProgress(session, progress);
  }
  for (const [index, release] of chain.releases.entries()) {
    await recordRelease(session, index + 1, release, release === last ? milliseconds : 0, true);
  }
  if (steps > 1) await forgetProgress(session, position);
}

export async function applyRelease(job: Job, step: ReleaseStep): Promise<void> {
  const { position, release, stepsDone } = step;
  const { revision, steps } = release;
  Object.assign(job.reached, { stepsDone, steps: steps.length });
  mustHaveMoreToStopAfter(job, step);
  if (stepsDone === 0 && steps.length > 0) await untilOutdatedAreGone(job, step);
  const start = performance.now() - step.milliseconds;
  job.report({ kind: 'release', position, of: job.chain.releases.length, revision, steps: steps.length, stepsDone });
  const record = (done: number) => recordSteps(job.session, position, release, done, millisecondsSince(start));
  if (steps.length === 0) await inTransaction(job, () => record(0));
  await applySteps(job, {
    place: { position, revision, steps: steps.length },
    steps: stepsInSchema(steps, release, job.session.schema),
    stepsDone,
    record,
    reached: (done) => {
      job.reached.stepsDone = done;
      if (done === job.stopAfter && done < steps.length)
        throw new Refusal('stopped', `The migration was stopped after step ${done}, as \`--stop-after\` says.`);
    },
  });
  Object.assign(job.reached, { releasesDone: position, stepsDone: 0 });
  job.reached.applied.push(revision);
  job.report({ kind: 'release-done', position, revision, milliseconds: millisecondsSince(start) });
}

/** Rejects a run with nothing to stop after: a previous run may have come as far, or further. */
function mustHaveMoreToStopAfter({ stopAfter }: Job, { position, stepsDone, release: { steps } }: ReleaseStep): void {
  if (stopAfter === undefined || stepsDone < stopAfter || stepsDone >= steps.length) return;
  const done = `${stepsDone} of ${steps.length} steps of release ${position} are done already`;
  throw new Refusal('stopped', `The migration was not continued: ${done}, and \`--stop-after\` says ${stopAfter}.`);
}

/**
 * Waits for outdated servers. The release works beside the one that it comes from, and no other. If that one was
 * contracted in this database, older servers were looked for then. A path around withdrawn releases may have nothing to
 * contract where the release has.
 */
async function untilOutdatedAreGone(
  job: Job,
  { position, from: before, isFromContracted, release: { revision } }: ReleaseStep,
): Promise<void> {
  if (isFromContracted) return;
  const leaving: Leaving = {
    position,
    revision,
    next: 'release',
    servers: () => outdatedServers(job.session, before),
    message: `Release ${position} cannot be applied yet: servers of releases before release ${before} are connected and would stop working.`,
    remedy: `Roll out the image of release ${before}, or stop the older servers. Then run \`migrate\` again; \`--wait 10m\` waits for it.`,
  };
  await untilGone(job, leaving, performance.now() + job.contractWait);
}

function millisecondsSince(start: number): number {
  return Math.round(performance.now() - start);
}

/**
 * Undoes the begun part of a withdrawn release, and records that release as withdrawn. Servers of the previous release
 * continue, as they did before. A later run continues after the last step.
 */

export async function withdraw(job: Job, step: WithdrawStep): Promise<void> {
  const { report } = job;
  const { from, until, undoing } = step;
  const { releases } = job.chain;
  const { revision } = releases[from] as Release;
  const start = performance.now();
  const steps = undoing ? undoing.steps.length - undoing.stepsDone : 0;
  report({ kind: 'withdraw', position: from + 1, revision, by: until, steps });
  if (undoing) await undo(job, undoing);
  const milliseconds = millisecondsSince(start);
  await inTransaction(job, () => recordAll(job, step, milliseconds));
  report({ kind: 'withdraw-done', position: from + 1, revision, milliseconds });
}

async function undo(job: Job, { progress, beside, steps, stepsDone, checksum, remains }: Undoing): Promise<void> {
  const { position, revision, milliseconds } = progress;
  for (const what of remains) job.report({ kind: 'warning', message: `This is not undone: ${what}.` });
  const record = (done: number) =>
    recordProgress(job.session, { position, revision, beside, checksum, done, milliseconds });
  // The image of the undone release is rejected from here on, since it would continue where this begins.
  await inTransaction(job, () => record(stepsDone));
  await applySteps(job, {
    place: { position, revision, steps: steps.length, phase: 'withdraw' },
    steps: stepsInSchema(steps, { beside }, job.session.schema),
    stepsDone,
    record,
  });
}

/** Records all of them. A release that failed as well may have recorded some already. */
async function recordAll(
  { chain: { releases }, session }: Job,
  { from, until, undoing }: WithdrawStep,
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
