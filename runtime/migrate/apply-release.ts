/** Brings a release: all of an empty database at once, or the steps that lead from the release before. */

import { partsChecksum } from '../../compiler/definition/migration.ts';
import { applySteps } from './apply-steps.ts';
import { outdatedServers } from './connected-servers.ts';
import type { StepPosition } from './events.ts';
import type { Job } from './job.ts';
import { createLedger, forgetProgress, recordProgress, recordRelease, recordSteps } from './ledger.ts';
import { withLockAttempts } from './lock-attempts.ts';
import type { ReleaseDeed } from './plan.ts';
import { Refusal } from './refusal.ts';
import { schemaStatements } from './schema-statements.ts';
import { inTransaction, runStatement } from './statement.ts';
import { stepsInSchema } from './steps-in-schema.ts';
import { type Leaving, untilGone } from './wait-for-servers.ts';

/** The whole schema, with every release that led to it. It is complete with its last part. */
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

export async function applyRelease(job: Job, deed: ReleaseDeed): Promise<void> {
  const { position, release, stepsDone } = deed;
  const { revision, steps } = release;
  Object.assign(job.reached, { stepsDone, steps: steps.length });
  mustHaveMoreToStopAfter(job, deed);
  if (stepsDone === 0 && steps.length > 0) await untilOutdatedAreGone(job, deed);
  const start = performance.now() - deed.milliseconds;
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
      if (done === job.stopAfter && done < steps.length) throw stoppedAfter(done);
    },
  });
  Object.assign(job.reached, { releasesDone: position, stepsDone: 0 });
  job.reached.applied.push(revision);
  job.report({ kind: 'release-done', position, revision, milliseconds: millisecondsSince(start) });
}

function stoppedAfter(steps: number): Refusal {
  return new Refusal('stopped', `The migration was stopped after step ${steps}, as \`--stop-after\` says.`);
}

/** A run before this one may have come as far, or further. */
function mustHaveMoreToStopAfter({ stopAfter }: Job, { position, stepsDone, release: { steps } }: ReleaseDeed): void {
  if (stopAfter === undefined || stepsDone < stopAfter || stepsDone >= steps.length) return;
  const done = `${stepsDone} of ${steps.length} steps of release ${position} are done already`;
  throw new Refusal('stopped', `The migration was not continued: ${done}, and \`--stop-after\` says ${stopAfter}.`);
}

/**
 * It works beside the release that it comes from, and no other. Where that one was contracted in this database, older
 * servers were looked for then. A way around withdrawn releases may have nothing to contract where the release has.
 */
async function untilOutdatedAreGone(
  job: Job,
  { position, from: before, isFromContracted, release: { revision } }: ReleaseDeed,
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

/** Before anything is written to a ledger that an older Kiln may have made. */
export function prepareLedger(job: Job): Promise<void> {
  const work = () => inTransaction(job, () => createLedger(job.session));
  return withLockAttempts(job, job.locks, () => 'prepare the ledger of releases', work);
}

function millisecondsSince(start: number): number {
  return Math.round(performance.now() - start);
}
