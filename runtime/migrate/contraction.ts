/**
 * Removes what only the release before needed, when none of its servers is connected any more. It is marked before the
 * first step, so that from then on no server of that release is ready; a run after a cut goes on behind the last step.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationStep, Release } from '../../compiler/definition/migration.ts';
import { applySteps } from './apply-steps.ts';
import { type ConnectedRelease, olderServers } from './connected-servers.ts';
import type { Job } from './job.ts';
import { markContraction, recordContraction } from './ledger.ts';
import { Refusal } from './refusal.ts';
import { connectedText } from './session-text.ts';
import { inTransaction } from './statement.ts';

/** One that is not done yet. */
export interface Contraction {
  readonly position: number;
  readonly release: Release;
  /** By a run before this one. From the first step on nobody is waited for: the release before cannot work any more. */
  readonly stepsDone: number;
}

/** For a release that was just applied; null where it leaves nothing to remove. */
export function contractionAfter(position: number, release: Release): Contraction | null {
  return contractSteps(release).length === 0 ? null : { position, release, stepsDone: 0 };
}

export function contractSteps({ contract = [] }: Release): readonly MigrationStep[] {
  return contract;
}

export async function contract(job: Job, contraction: Contraction): Promise<void> {
  const { position, release, stepsDone } = contraction;
  const { revision } = release;
  const steps = contractSteps(release);
  const start = performance.now();
  if (stepsDone === 0) await begin(job, contraction);
  job.report({ kind: 'contract', position, revision, steps: steps.length, stepsDone });
  await applySteps(job, {
    place: { position, revision, steps: steps.length, phase: 'contract' },
    steps,
    stepsDone,
    record: (done) => recordContraction(job.session, position, done),
  });
  job.report({ kind: 'contract-done', position, revision, milliseconds: Math.round(performance.now() - start) });
}

/** A server may have connected just before the mark was there to be seen, so they are looked for once more. */
async function begin(job: Job, contraction: Contraction): Promise<void> {
  const { session } = job;
  const { position } = contraction;
  const end = performance.now() + job.contractWait;
  for (;;) {
    await untilNobodyIsLeft(job, contraction, end);
    await inTransaction(job, () => markContraction(session, position, true));
    if ((await olderServers(session, position)).length === 0) return;
    await inTransaction(job, () => markContraction(session, position, false));
  }
}

const PAUSE = 250;
const BETWEEN_REPORTS = 10_000;

async function untilNobodyIsLeft(job: Job, { position, release }: Contraction, end: number): Promise<void> {
  const { session, report, signal } = job;
  const start = performance.now();
  let reported = Number.NEGATIVE_INFINITY;
  for (;;) {
    const servers = await olderServers(session, position);
    const now = performance.now();
    if (servers.length === 0) return;
    if (now >= end) throw stillConnected(position, servers);
    if (now - reported >= BETWEEN_REPORTS) {
      reported = now;
      const { revision } = release;
      const [waited, left] = [Math.round(now - start), Math.round(end - now)];
      report({ kind: 'waiting-for-servers', position, revision, servers, milliseconds: waited, left });
    }
    await sleep(Math.min(PAUSE, end - now), undefined, signal && { signal });
  }
}

function stillConnected(position: number, servers: readonly ConnectedRelease[]): Refusal {
  const message = `What only the release before release ${position} needs cannot be removed yet: servers of older releases are connected.`;
  const remedy = `Roll out the image of release ${position} and stop the older servers, then run \`migrate\` again. Behind a pooler, its idle connections count until it closes them.`;
  return new Refusal('blocked', message, { details: [...servers.map(connectedText), remedy] });
}
