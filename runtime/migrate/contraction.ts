/**
 * Removes what only the previous release needed, when none of its servers is connected any more. It is marked before the
 * first step, so that from then on no server of that release is ready; a run after a cut goes on behind the last step.
 */
import type { Release } from '../../compiler/definition/migration.ts';
import type { LedgerRow } from '../query/database-release.ts';
import { applySteps } from './apply-steps.ts';
import { type Leaving, olderServers, untilGone } from './connected-servers.ts';
import type { Job } from './job.ts';
import { type Ledger, markContraction, recordContraction } from './ledger.ts';
import { inTransaction } from './statement.ts';
import { stepsInSchema } from './turns.ts';

/** One that is not done yet. */
export interface Contraction {
  readonly position: number;
  readonly release: Release;
  /**
   * The steps that a previous run has done. From the first step on, nothing is waited for: the previous release cannot
   * work any more.
   */
  readonly stepsDone: number;
}

/** The contraction of a release that was just applied; null where it leaves nothing to remove. */
export function contractionAfter(position: number, release: Release): Contraction | null {
  return (release.contract ?? []).length === 0 ? null : { position, release, stepsDone: 0 };
}

export async function contract(job: Job, contraction: Contraction): Promise<void> {
  const { position, release, stepsDone } = contraction;
  const { revision, contract: steps = [] } = release;
  const start = performance.now();
  if (stepsDone === 0) await begin(job, contraction);
  job.report({ kind: 'contract', position, revision, steps: steps.length, stepsDone });
  let reached = stepsDone;
  await applySteps(job, {
    place: { position, revision, steps: steps.length, phase: 'contract' },
    steps: stepsInSchema(steps, release, job.session.schema),
    stepsDone,
    record: (done) => recordContraction(job.session, position, done),
    reached: (done) => {
      reached = done;
    },
  }).catch(async (error: unknown) => {
    // As long as nothing is removed, the previous release works, and may be needed to finish its jobs.
    if (reached === 0) await inTransaction(job, () => markContraction(job.session, position, false));
    throw error;
  });
  job.report({ kind: 'contract-done', position, revision, milliseconds: Math.round(performance.now() - start) });
}

/** A server may have connected just before the mark was there to be seen, so they are looked for once more. */
async function begin(job: Job, contraction: Contraction): Promise<void> {
  const { session } = job;
  const { position } = contraction;
  const end = performance.now() + job.contractWait;
  for (;;) {
    await untilGone(job, leaving(job, contraction), end);
    await inTransaction(job, () => markContraction(session, position, true));
    if ((await olderServers(session, position)).length === 0) return;
    await inTransaction(job, () => markContraction(session, position, false));
  }
}

/**
 * A run that was cut off between the mark and the first step has removed nothing, so images of the previous release still
 * work. No other run can be there, for this one has the lock. A contraction that goes on now makes its mark again.
 */
export async function withoutLeftMark(job: Job, ledger: Ledger): Promise<Ledger> {
  const isLeft = (row: LedgerRow) => row.isContracted && row.contractSteps > 0 && row.contractDone === 0;
  const left = ledger.releases.find(isLeft);
  if (!left) return ledger;
  await inTransaction(job, () => markContraction(job.session, left.position, false));
  return { ...ledger, releases: ledger.releases.map((row) => (row === left ? { ...row, isContracted: false } : row)) };
}

function leaving({ session }: Job, { position, release: { revision } }: Contraction): Leaving {
  return {
    position,
    revision,
    next: 'contraction',
    servers: () => olderServers(session, position),
    message: `Release ${position} cannot be contracted yet: servers of older releases are connected.`,
    remedy: `Roll out the image of release ${position}, or stop the older servers. Then run \`migrate\` again; \`--wait 10m\` waits for it.`,
  };
}
