/**
 * Brings a database to the last release of a chain. It takes one lock, makes all of an empty database at once, carries
 * out what another one lacks, removes what only older releases needed, and then checks whether Postgres has what the
 * release needs. However it ends, a second run continues where it stopped; an obstacle is a result with sentences,
 * never an exception.
 */
import type { Release, ReleaseChain } from '../../compiler/definition/migration.ts';
import { isLostConnection, sqlStateOf } from '../query/connections/database-error-from.ts';
import { besideNewest, completeReleases, imageReleaseOf, shortRevision } from '../query/database-release.ts';
import { applyRelease, applySchema, withdraw } from './apply-release.ts';
import { contract, withoutLeftMark } from './contraction.ts';
import { driftIn } from './drift.ts';
import type { DoneEvent, RefusedEvent, Report } from './events.ts';
import {
  BATCHES,
  type BatchBudget,
  CONTRACT_WAIT,
  INDEX_LOCKS,
  type Job,
  LOCKS,
  type LockBudget,
  LockWait,
} from './job.ts';
import { JOB_WAIT, releaseJobLock, takeJobLock } from './job-lock.ts';
import { readLedger } from './ledger.ts';
import { observerAt } from './observer.ts';
import { type Plan, type PlanStep, planFor, tellPlanStep } from './plan.ts';
import { postgresWords, Refusal, type RefusalReason } from './refusal.ts';
import { type Compatible, type ReleaseState, releaseState, stateFromLedger } from './release-state.ts';
import { dropLeftSchemas, makeSchemas, requireRights } from './schema-right.ts';
import {
  connectionOf,
  prepareSession,
  requireWritable,
  type Session,
  type StartWait,
  sessionWhenUp,
} from './session.ts';

export interface MigrateOptions extends StartWait {
  /** Tells what would be run, and changes nothing. */
  readonly dryRun?: boolean;
  /** Changes a database also where its settings say that it is read-only. */
  readonly readWrite?: boolean;
  /** Removes what only the previous release needed too, once none of its servers is connected. */
  readonly contract?: boolean;
  /** How long those servers are waited for, in milliseconds. */
  readonly contractWait?: number;
  /** How long another job is waited for, in milliseconds. */
  readonly jobWait?: number;
  /**
   * The number of steps of a release after which the job ends, even if there are more: for tests of an interrupted job.
   */
  readonly stopAfter?: number;
  /** All steps of a release in one transaction: for a database that serves nobody. */
  readonly isAtOnce?: boolean;
  /** The budget for statements in transactions. */
  readonly locks?: Partial<LockBudget>;
  /** The budget for indexes that are built concurrently. */
  readonly indexLocks?: Partial<LockBudget>;
  readonly batches?: Partial<BatchBudget>;
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
    const outcome = await withSession(options, (session) =>
      options.dryRun
        ? tell(chain, session, options)
        : alone(session, options, () => work(jobFor(chain, session, options, applied), options)),
    );
    const milliseconds = Math.round(performance.now() - start);
    return { kind: 'done', isDryRun: options.dryRun ?? false, ...outcome, milliseconds };
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
    if (!dryRun && !options.readWrite) await requireWritable(session);
    await prepareSession(session, dryRun);
    return await use(session);
  } finally {
    signal?.removeEventListener('abort', end);
    await session.end();
  }
}

/** Runs `use` while no other job works on the database. */
async function alone<T>(session: Session, options: MigrateOptions, use: () => Promise<T>): Promise<T> {
  const { report, jobWait: wait = JOB_WAIT, signal } = options;
  const lock = await takeJobLock(session, { report, wait, signal });
  try {
    return await use();
  } finally {
    // The connection may be lost already, and the lock with it.
    await releaseJobLock(session, lock).catch(() => undefined);
  }
}

function jobFor(chain: ReleaseChain, session: Session, options: MigrateOptions, applied: string[]): Job {
  const { databaseUrl, report, locks, indexLocks, batches, contractWait = CONTRACT_WAIT } = options;
  const { signal, stopAfter, isAtOnce = false } = options;
  return {
    chain,
    session,
    report,
    signal,
    stopAfter,
    isAtOnce,
    observer: observerAt(databaseUrl),
    locks: { ...LOCKS, ...locks },
    indexLocks: { ...INDEX_LOCKS, ...indexLocks },
    lockWait: new LockWait(),
    batches: { ...BATCHES, ...batches },
    contractWait,
    reached: { releasesDone: 0, stepsDone: 0, steps: 0, applied },
  };
}

/** Reports the plan of a dry run. It waits for no other job: what that will do is not known anyway. */
async function tell(chain: ReleaseChain, session: Session, options: MigrateOptions): Promise<Outcome> {
  const { report, contract: isContracting = false } = options;
  const state = await releaseState(connectionOf(session), chain);
  refuse(state, isContracting);
  if (state.kind === 'compatible') return outcomeAhead(chain, state);
  const plan = planFor(chain, state, isContracting);
  await requireRights(session, chain, plan.steps);
  for (const step of plan.steps) tellPlanStep(chain, step, session.schema, report);
  if (state.kind === 'current') await refuseDrift(chain, session, report, state.contraction !== null);
  return outcomeOf(chain, plan);
}

async function work(job: Job, { contract: isContracting = false }: MigrateOptions): Promise<Outcome> {
  const { chain, session, report } = job;
  try {
    const ledger = await readLedger(connectionOf(session));
    const state = stateFromLedger(await withoutLeftMark(job, ledger), chain);
    refuse(state, isContracting);
    const at = positionIn(state, chain);
    report({ kind: 'start', database: session.database, at, of: chain.releases.length });
    if (state.kind === 'compatible') return outcomeAhead(chain, state);
    const plan = planFor(chain, state, isContracting);
    Object.assign(job.reached, { releasesDone: at ?? 0, ...stepsBegun(plan) });
    await makeSchemas(session, chain, plan.steps);
    for (const step of plan.steps) await apply(job, step);
    await settleSchemas(job, plan);
    await refuseDrift(chain, session, report, plan.pending !== null);
    return outcomeOf(chain, plan);
  } catch (error) {
    throw withWhatIsApplied(refusalFromError(error, job.signal), job);
  } finally {
    await job.observer.end();
  }
}

/** The contraction of an earlier release with the same tables may have dropped that of this one. */
async function settleSchemas({ session, chain }: Job, { steps }: Plan): Promise<void> {
  if (steps.some(({ kind }) => kind === 'contract')) await makeSchemas(session, chain, []);
  const { releases } = await readLedger(connectionOf(session));
  await dropLeftSchemas(session, chain, besideNewest(completeReleases(releases))?.beside ?? null);
}

function stepsBegun({ steps }: Plan): Pick<Job['reached'], 'stepsDone' | 'steps'> {
  const next = steps.find((step) => step.kind === 'release');
  return { stepsDone: next?.stepsDone ?? 0, steps: next?.release.steps.length ?? 0 };
}

function positionIn(state: ReleaseState, { releases }: ReleaseChain): number | null {
  if (state.kind === 'empty') return null;
  if (state.kind === 'behind') return state.releasesDone;
  if (state.kind !== 'compatible') return releases.length;
  return state.isComplete ? state.position : state.position - 1;
}

function apply(job: Job, step: PlanStep): Promise<void> {
  switch (step.kind) {
    case 'schema':
      return applySchema(job, step.partsDone);
    case 'release':
      return applyRelease(job, step);
    case 'withdraw':
      return withdraw(job, step);
    case 'contract':
      return contract(job, step.contraction);
  }
}

type Outcome = Omit<DoneEvent, 'kind' | 'isDryRun' | 'milliseconds'>;

function outcomeOf(chain: ReleaseChain, { steps, pending }: Plan): Outcome {
  const { position, revision } = imageReleaseOf(chain);
  return {
    position,
    revision,
    ahead: 0,
    isUnderWay: false,
    applied: steps.flatMap((step) => appliedBy(chain, step)),
    contracted: steps.flatMap((step) => (step.kind === 'contract' ? [step.contraction.release.revision] : [])),
    withdrawn: steps
      .flatMap((step) => (step.kind === 'withdraw' ? chain.releases.slice(step.from, step.until - 1) : []))
      .map((release) => release.revision),
    pending: pending && {
      position: pending.position,
      revision: pending.release.revision,
      steps: (pending.release.contract ?? []).length - pending.stepsDone,
    },
  };
}

function appliedBy({ releases }: ReleaseChain, step: PlanStep): readonly string[] {
  if (step.kind === 'schema') return releases.map(({ revision }) => revision);
  return step.kind === 'release' ? [step.release.revision] : [];
}

/** The outcome where the database is ahead. The image of that release reports what is pending there. */
function outcomeAhead(chain: ReleaseChain, { position, revision, isComplete }: Compatible): Outcome {
  const ahead = position - chain.releases.length;
  return { ...outcomeOf(chain, { steps: [], pending: null }), position, revision, ahead, isUnderWay: !isComplete };
}

function refuse(state: ReleaseState, isContracting: boolean): void {
  if (state.kind === 'ahead' || state.kind === 'diverged' || state.kind === 'not-ours') {
    throw new Refusal(state.kind, state.sentence);
  }
  if (state.kind !== 'compatible' || !isContracting) return;
  const remedy = `Run \`migrate --contract\` with the image of release ${state.position}.`;
  throw new Refusal('ahead', `${state.sentence} This image does not know what to remove. ${remedy}`);
}

async function refuseDrift(
  { schema }: ReleaseChain,
  { client }: Session,
  report: Report,
  isExpanded: boolean,
): Promise<void> {
  const { wrong, besides } = await driftIn(client, schema, isExpanded);
  for (const message of besides) report({ kind: 'warning', message });
  if (wrong.length === 0) return;
  const message =
    'The database has every release, but its schema was changed by other means. Undo these changes, then run `migrate` again.';
  throw new Refusal('drifted', message, { details: wrong });
}

/** The same run would fail again. */
const AFTER_A_CHANGE = 'When the cause is removed, run it again to continue.';

/** Adds what is applied, so that the reader knows where a second run begins. */
function withWhatIsApplied(refusal: Refusal, { chain, reached }: Job): Refusal {
  const { reason, message, details, failure, cause } = refusal;
  const isOnTheWay = reason === 'unavailable' || reason === 'blocked' || reason === 'failed' || reason === 'stopped';
  if (!isOnTheWay) return refusal;
  const { releasesDone, stepsDone, steps: of } = reached;
  const steps = stepsDone > 0 ? `, and ${stepsDone} of ${of} steps of the next one` : '';
  const sentence = `Known to be applied: ${releasesDone} of ${chain.releases.length} releases${steps}. ${reason === 'failed' ? AFTER_A_CHANGE : 'Run it again to continue.'}`;
  const advice = reason === 'failed' && releasesDone > 0 ? wayOut(chain.releases[releasesDone], refusal) : [];
  return new Refusal(reason, message, { details: [...details, sentence, ...advice], failure, cause });
}

/**
 * The advice for those who cannot change the data. A release without a previous one, or without a commit, cannot be
 * withdrawn.
 */
function wayOut(next: Release | undefined, { failure }: Refusal): readonly string[] {
  const isRelease = failure !== null && failure.phase === undefined && next !== undefined;
  const hash = isRelease ? shortRevision(next.revision) : '';
  if (!isRelease || hash === next.revision) return [];
  return [
    `To give release ${failure.position} up instead, revert it in a commit with the line \`Withdraws: ${hash}\`, and run \`migrate\` with the image of that commit.`,
  ];
}

// ── Refusal from error ──────────────────────────────────────────────────────────────────────────────────────────────

/** Turns failures of Postgres and of the network into refusals. Bugs of our own stay as they are. */
function refusalFromError(error: unknown, signal: AbortSignal | undefined): Refusal {
  const isRefusal = error instanceof Refusal;
  if (isRefusal && (!signal?.aborted || error.reason === 'stopped')) return error;
  if (signal?.aborted) return new Refusal('stopped', 'The migration was cancelled.', { cause: error });
  if (isLostConnection(error)) {
    return new Refusal('unavailable', 'The connection to Postgres was lost, and with it the lock of this migration.', {
      cause: error,
    });
  }
  const state = sqlStateOf(error);
  if (state === undefined) throw error;
  const [reason, words] = BY_STATE[state] ?? ['failed', 'Postgres refused'];
  return new Refusal(reason, `${words}: ${postgresWords(error).message}.`, { cause: error });
}

const BY_STATE: Readonly<Record<string, readonly [RefusalReason, string]>> = {
  '25006': ['unavailable', 'Postgres accepts no changes here'],
  '55P03': ['blocked', 'A lock could not be acquired in time'],
};
