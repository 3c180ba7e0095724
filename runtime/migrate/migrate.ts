/**
 * Brings a database to the last release of a chain. It takes one lock, makes all of an empty database at once, carries
 * out what another one lacks, and then looks whether Postgres has what the release needs. However it ends, a second run
 * goes on where it stopped; what stands in the way is a result with sentences, never an exception.
 */
import type { ReleaseChain } from '../../compiler/definition/migration.ts';
import { applyMissing, applySchema } from './apply-release.ts';
import { sessionWhenUp } from './await-postgres.ts';
import { schemaInCatalog } from './catalog.ts';
import { driftBetween } from './drift.ts';
import { tellPlan } from './dry-run.ts';
import type { DoneEvent, RefusedEvent, Report } from './events.ts';
import { BATCHES, type BatchBudget, INDEX_LOCKS, type Job, LOCKS, type LockBudget } from './job.ts';
import { takeJobLock } from './job-lock.ts';
import { Observer } from './observer.ts';
import { oddities } from './oddities.ts';
import { Refusal } from './refusal.ts';
import { refusalFromError } from './refusal-from-error.ts';
import { type ReleaseState, releaseState } from './release-state.ts';
import { connectionOf, prepareSession, type Session } from './session.ts';

export interface MigrateOptions {
  readonly databaseUrl: string;
  readonly report: Report;
  /** For how long a Postgres that does not answer yet is waited for, in milliseconds. */
  readonly startWait?: number;
  /** Tells what would be run, and changes nothing. */
  readonly dryRun?: boolean;
  /** For statements in transactions. */
  readonly locks?: Partial<LockBudget>;
  /** For indexes that are built beside the work of others. */
  readonly indexLocks?: Partial<LockBudget>;
  readonly batches?: Partial<BatchBudget>;
  /** Calls the job off: what is not committed is taken back. */
  readonly signal?: AbortSignal;
}

/** The last event is the result. */
export type MigrateResult = DoneEvent | RefusedEvent;

export async function migrate(chain: ReleaseChain, options: MigrateOptions): Promise<MigrateResult> {
  if (chain.releases.length === 0) throw new Error('a chain has at least one release');
  const applied: string[] = [];
  const result = await resultOf(chain, options, applied);
  options.report(result);
  return result;
}

async function resultOf(chain: ReleaseChain, options: MigrateOptions, applied: string[]): Promise<MigrateResult> {
  const start = performance.now();
  try {
    const revisions = await withSession(options, (session) =>
      options.dryRun ? plan(chain, session, options.report) : work(jobFor(chain, session, options, applied)),
    );
    return {
      kind: 'done',
      isDryRun: options.dryRun ?? false,
      position: chain.releases.length,
      revision: chain.releases.at(-1)?.revision ?? '',
      applied: revisions,
      milliseconds: Math.round(performance.now() - start),
    };
  } catch (error) {
    const { reason, message, details, failure } = refusalFromError(error, options.signal);
    return { kind: 'refused', reason, message, details, failure, applied };
  }
}

async function withSession<T>(options: MigrateOptions, use: (session: Session) => Promise<T>): Promise<T> {
  const { dryRun = false, signal } = options;
  signal?.throwIfAborted();
  const session = await sessionWhenUp('kiln migrate', options);
  const end = () => void session.end();
  signal?.addEventListener('abort', end);
  try {
    await prepareSession(session, dryRun);
    return await use(session);
  } finally {
    signal?.removeEventListener('abort', end);
    await session.end();
  }
}

function jobFor(chain: ReleaseChain, session: Session, options: MigrateOptions, applied: string[]): Job {
  const { databaseUrl, report, locks, indexLocks, batches, signal } = options;
  return {
    chain,
    session,
    report,
    signal,
    observer: new Observer(databaseUrl),
    locks: { ...LOCKS, ...locks },
    indexLocks: { ...INDEX_LOCKS, ...indexLocks },
    batches: { ...BATCHES, ...batches },
    reached: { releasesDone: 0, stepsDone: 0, applied },
  };
}

/** Nobody is waited for: what another job is about to do is not known anyway. */
async function plan(chain: ReleaseChain, session: Session, report: Report): Promise<readonly string[]> {
  const state = await releaseState(connectionOf(session), chain);
  refuse(state);
  const revisions = tellPlan(chain, state, report);
  if (state.kind === 'current') await refuseDrift(chain, session, report);
  return revisions;
}

async function work(job: Job): Promise<readonly string[]> {
  const { chain, session, report, reached } = job;
  try {
    await takeJobLock(session, report, job.signal);
    const state = await releaseState(connectionOf(session), chain);
    refuse(state);
    await apply(job, state);
    await refuseDrift(chain, session, report);
    return reached.applied;
  } catch (error) {
    throw withWhatIsApplied(refusalFromError(error, job.signal), job);
  } finally {
    await job.observer.end();
  }
}

async function apply(job: Job, state: ReleaseState): Promise<void> {
  const of = job.chain.releases.length;
  const at = state.kind === 'empty' ? null : state.kind === 'behind' ? state.releasesDone : of;
  job.report({ kind: 'start', database: job.session.database, at, of });
  if (state.kind === 'empty') return applySchema(job);
  if (state.kind !== 'behind') return;
  Object.assign(job.reached, { releasesDone: state.releasesDone, stepsDone: state.stepsDone });
  await applyMissing(job, state);
}

function refuse(state: ReleaseState): void {
  if (state.kind === 'ahead' || state.kind === 'diverged' || state.kind === 'not-ours') {
    throw new Refusal(state.kind, state.sentence);
  }
}

async function refuseDrift({ schema }: ReleaseChain, { client }: Session, report: Report): Promise<void> {
  const { wrong, besides } = driftBetween(schema, await schemaInCatalog(client), await oddities(client));
  for (const message of besides) report({ kind: 'warning', message });
  if (wrong.length === 0) return;
  const message =
    'The database has every release, but is not as they have left it: somebody has changed it by other means. Put these right, then run `migrate` again.';
  throw new Refusal('drifted', message, { details: wrong });
}

/** So that whoever reads it knows what a second run begins with. */
function withWhatIsApplied(refusal: Refusal, { chain, reached }: Job): Refusal {
  const { reason, message, details, failure, cause } = refusal;
  const isOnTheWay = reason === 'unavailable' || reason === 'blocked' || reason === 'failed' || reason === 'stopped';
  if (!isOnTheWay) return refusal;
  const { releasesDone, stepsDone } = reached;
  const next = chain.releases[releasesDone];
  const steps = next && stepsDone > 0 ? `, and ${stepsDone} of ${next.steps.length} steps of the next one` : '';
  const sentence = `Known to be applied: ${releasesDone} of ${chain.releases.length} releases${steps}. A second run goes on from there.`;
  return new Refusal(reason, message, { details: [...details, sentence], failure, cause });
}
