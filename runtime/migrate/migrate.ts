/**
 * Brings a database to the last release of a chain. It takes one lock, makes all of an empty database at once, carries
 * out what another one lacks, removes what only older releases needed, and then checks whether Postgres has what the
 * release needs. However it ends, a second run continues where it stopped; an obstacle is a result with sentences,
 * never an exception.
 */
import { partsChecksum, type Release, type ReleaseChain, withdrawnMark } from '../../compiler/definition/migration.ts';
import { isLostConnection, sqlStateOf } from '../query/connections/database-error-from.ts';
import { besideNewest, completeReleases, imageReleaseOf, shortRevision } from '../query/database-release.ts';
import { applySteps } from './apply-steps.ts';
import { type Leaving, outdatedServers, untilGone } from './connected-servers.ts';
import { contract, withoutLeftMark } from './contraction.ts';
import { driftIn } from './drift.ts';
import type { DoneEvent, RefusedEvent, Report, StepPosition } from './events.ts';
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
import {
  createLedger,
  forgetProgress,
  readLedger,
  recordProgress,
  recordRelease,
  recordSteps,
  recordWithdrawn,
} from './ledger.ts';
import { withLockAttempts } from './lock-attempts.ts';
import { observerAt } from './observer.ts';
import { type Plan, type PlanStep, planFor, type ReleaseStep, tellPlanStep, type WithdrawStep } from './plan.ts';
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
import { inTransaction, runStatement } from './statement.ts';
import { schemaStatements, stepsInSchema } from './turns.ts';
import type { Undoing } from './withdrawal.ts';

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
  if (state.kind === 'ahead' || state.kind === 'diverged' || state.kind === 'not-ours')
    throw new Refusal(state.kind, state.sentence);
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
function withWhatIsApplied(refusal: Refusal, { chain, reached, isAtOnce }: Job): Refusal {
  const { reason, message, details, failure, cause } = refusal;
  const isOnTheWay = reason === 'unavailable' || reason === 'blocked' || reason === 'failed' || reason === 'stopped';
  if (!isOnTheWay || isAtOnce) return refusal;
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

// ── Release ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// Brings a release: all of an empty database at once, or the steps that lead from the previous release.

/** Makes the whole schema, with every release that led to it. It is complete with its last part. */
async function applySchema(job: Job, partsDone: number): Promise<void> {
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
  for (const [index, release] of chain.releases.entries())
    await recordRelease(session, index + 1, release, release === last ? milliseconds : 0, true);
  if (steps > 1) await forgetProgress(session, position);
}

async function applyRelease(job: Job, step: ReleaseStep): Promise<void> {
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

async function withdraw(job: Job, step: WithdrawStep): Promise<void> {
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
