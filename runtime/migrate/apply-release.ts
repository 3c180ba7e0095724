/** Carries out what is missing. After each step its record is committed, so that a run after a cut goes on behind it. */
import type { MigrationStep, Release } from '../../compiler/definition/migration.ts';
import { backfill } from './backfill-step.ts';
import type { Place } from './events.ts';
import { buildIndex } from './index-step.ts';
import type { Job } from './job.ts';
import { createLedger, recordRelease, recordSteps } from './ledger.ts';
import { withLockAttempts } from './lock-attempts.ts';
import type { Behind } from './release-state.ts';
import { inTransaction, runStatement } from './statement.ts';

/** The whole schema at once, with every release that led to it. */
export async function applySchema(job: Job): Promise<void> {
  const { chain, session } = job;
  const start = performance.now();
  const last = chain.releases.length;
  const place = { position: last, revision: chain.releases.at(-1)?.revision ?? '', step: 1, steps: 1 };
  const statement = { sql: chain.schemaSql, says: 'make the tables of the empty database', hazards: [] };
  job.report({ kind: 'release', position: last, of: last, revision: place.revision, steps: 1, stepsDone: 0 });
  await withLockAttempts(
    job,
    job.locks,
    () => statement.says,
    () =>
      inTransaction(job, async () => {
        await createLedger(session);
        await runStatement(job, place, statement);
        for (const [index, release] of chain.releases.entries()) {
          const isLast = index === last - 1;
          await recordRelease(session, index + 1, release, isLast ? millisecondsSince(start) : 0);
        }
      }),
  );
  job.reached.releasesDone = last;
  job.reached.applied.push(...chain.releases.map(({ revision }) => revision));
  job.report({
    kind: 'release-done',
    position: last,
    revision: place.revision,
    milliseconds: millisecondsSince(start),
  });
}

export async function applyMissing(job: Job, { releasesDone, stepsDone, milliseconds }: Behind): Promise<void> {
  await inTransaction(job, () => createLedger(job.session));
  for (const [index, release] of job.chain.releases.entries()) {
    if (index < releasesDone) continue;
    const isBegun = index === releasesDone;
    await applyRelease(
      job,
      index + 1,
      release,
      isBegun ? { stepsDone, milliseconds } : { stepsDone: 0, milliseconds: 0 },
    );
  }
}

interface Before {
  readonly stepsDone: number;
  readonly milliseconds: number;
}

async function applyRelease(job: Job, position: number, release: Release, before: Before): Promise<void> {
  const { revision, steps } = release;
  const start = performance.now() - before.milliseconds;
  const { stepsDone } = before;
  job.report({ kind: 'release', position, of: job.chain.releases.length, revision, steps: steps.length, stepsDone });
  const record = (done: number) => recordSteps(job.session, position, release, done, millisecondsSince(start));
  if (steps.length === 0) await inTransaction(job, () => record(0));
  for (const [index, step] of steps.entries()) {
    if (index < stepsDone) continue;
    const place = { position, revision, step: index + 1, steps: steps.length };
    job.report({ kind: 'step', ...place, how: step.kind });
    await applyStep(job, place, step, () => record(index + 1));
    job.reached.stepsDone = index + 1;
  }
  Object.assign(job.reached, { releasesDone: position, stepsDone: 0 });
  job.reached.applied.push(revision);
  job.report({ kind: 'release-done', position, revision, milliseconds: millisecondsSince(start) });
}

async function applyStep(job: Job, place: Place, step: MigrationStep, record: () => Promise<void>): Promise<void> {
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
  place: Place,
  { statements }: Extract<MigrationStep, { kind: 'transaction' }>,
  record: () => Promise<void>,
): Promise<void> {
  let at = '';
  await withLockAttempts(
    job,
    job.locks,
    () => at,
    () =>
      inTransaction(job, async () => {
        for (const statement of statements) {
          at = statement.says;
          await runStatement(job, place, statement);
        }
        await record();
      }),
  );
}

function millisecondsSince(start: number): number {
  return Math.round(performance.now() - start);
}
