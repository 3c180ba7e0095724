/** The plan of what is to be done to a database, in order. It is either carried out, or only reported by a dry run. */

import {
  type Hop,
  hopsFrom,
  type MigrationStep,
  type Release,
  type ReleaseChain,
  releaseChecksum,
  statementsOf,
} from '../../compiler/definition/migration.ts';
import { type Contraction, contractionAfter } from './contraction.ts';
import type { Report, StepPosition } from './events.ts';
import type { Progress } from './ledger.ts';
import type { Behind, ReleaseState } from './release-state.ts';
import { schemaStatements, stepsInSchema, turnsOf } from './turns.ts';
import { type Undoing, undoingOf, unrecordedStart } from './withdrawal.ts';

export type PlanStep =
  /** Makes all of an empty database. `partsDone` are those of a run before this one. */
  | { readonly kind: 'schema'; readonly partsDone: number }
  | ReleaseStep
  | WithdrawStep
  | { readonly kind: 'contract'; readonly contraction: Contraction };

export interface ReleaseStep {
  readonly kind: 'release';
  readonly position: number;
  readonly release: Release;
  /**
   * The position of the release that the steps begin with: the previous one, or the one before those that are
   * withdrawn.
   */
  readonly from: number;
  /** Whether that one was contracted, on the way that this database has taken to it. */
  readonly isFromContracted: boolean;
  /** The steps that a previous run has done, and the time that they took. */
  readonly stepsDone: number;
  readonly milliseconds: number;
}

/** Gives up the releases between these two positions. */
export interface WithdrawStep {
  readonly kind: 'withdraw';
  readonly from: number;
  readonly until: number;
  /** The undo of a release that was begun; null where there is none. */
  readonly undoing: Undoing | null;
}

export interface Plan {
  readonly steps: readonly PlanStep[];
  /** The contraction that is left after that. */
  readonly pending: Contraction | null;
}

/** A contraction is due when the next release comes, or when it is asked for. One that has begun is completed. */
export function planFor(chain: ReleaseChain, state: ReleaseState, isContracting: boolean): Plan {
  if (state.kind === 'empty') return { steps: [{ kind: 'schema', partsDone: state.partsDone }], pending: null };
  const steps = allSteps(chain, state);
  const last = steps.at(-1);
  const isPending = last?.kind === 'contract' && !isContracting && last.contraction.stepsDone === 0;
  return isPending ? { steps: steps.slice(0, -1), pending: last.contraction } : { steps, pending: null };
}

function allSteps(chain: ReleaseChain, state: ReleaseState): readonly PlanStep[] {
  if (state.kind === 'current') return contractionOf(state.contraction);
  if (state.kind !== 'behind') return [];
  const hops = hopsFrom(chain.releases, state.releasesDone);
  const steps: PlanStep[] = [];
  let pending = state.contraction;
  for (const [index, hop] of hops.entries()) {
    const before = hops[index - 1];
    // A release that leaves the tables as they are leaves the servers alone that work with them.
    if (hop.release.steps.length > 0 || (pending?.stepsDone ?? 0) > 0) {
      steps.push(...contractionOf(pending));
      pending = null;
    }
    steps.push(...(before ? laterHop(hop, before) : firstHop(chain, state, hop)));
    pending ??= contractionAfter(hop.position, hop.release);
  }
  return [...steps, ...contractionOf(pending)];
}

/** The first hop. A previous run may have begun it, or another one that has to be undone. */
function firstHop(
  chain: ReleaseChain,
  { releasesDone, releasesRecorded, progress, isContracted }: Behind,
  hop: Hop,
): readonly PlanStep[] {
  const isBegun = progress?.position === hop.position && progress.checksum === releaseChecksum(hop.release);
  if (isBegun || (progress === null && releasesRecorded === hop.position - 1))
    return hopSteps(hop, isContracted, progress);
  const begun = progress ?? unrecordedStart(chain, releasesDone, releasesRecorded);
  const undoing = begun && undoingOf(chain, releasesDone, begun);
  if (undoing === undefined) throw new Error(`nothing says how to undo release ${begun?.position}`);
  return [...withdrawal(hop, undoing), ...hopSteps(hop, isContracted, null)];
}

function laterHop(hop: Hop, before: Hop): readonly PlanStep[] {
  const isContracted = contractionAfter(before.position, before.release) !== null;
  return [...withdrawal(hop, null), ...hopSteps(hop, isContracted, null)];
}

function withdrawal({ from, position: until }: Hop, undoing: Undoing | null): readonly PlanStep[] {
  return until === from + 1 ? [] : [{ kind: 'withdraw', from, until, undoing }];
}

function hopSteps(
  { position, release, from }: Hop,
  isFromContracted: boolean,
  progress: Progress | null,
): readonly PlanStep[] {
  const { stepsDone, milliseconds } = progress ?? { stepsDone: 0, milliseconds: 0 };
  return [{ kind: 'release', position, release, from, isFromContracted, stepsDone, milliseconds }];
}

function contractionOf(contraction: Contraction | null): readonly PlanStep[] {
  return contraction ? [{ kind: 'contract', contraction }] : [];
}

// Tells what a migration would run, and runs none of it.

/** `schema` is that of the application. */
export function tellPlanStep(chain: ReleaseChain, step: PlanStep, schema: string, report: Report): void {
  if (step.kind === 'schema') {
    for (const { place, statement } of schemaStatements(chain).slice(step.partsDone))
      report({ kind: 'would-run', ...place, how: 'schema', statements: [statement], pending: null });
  }
  if (step.kind === 'release') {
    const { position, release, stepsDone } = step;
    const place = { position, revision: release.revision };
    tellSteps(place, stepsInSchema(release.steps, release, schema), stepsDone, report);
  }
  if (step.kind === 'withdraw' && step.undoing) {
    const { progress, beside, steps, stepsDone } = step.undoing;
    const place = { position: progress.position, revision: progress.revision, phase: 'withdraw' } as const;
    tellSteps(place, stepsInSchema(steps, { beside }, schema), stepsDone, report);
  }
  if (step.kind === 'contract') {
    const { position, release, stepsDone } = step.contraction;
    const place = { position, revision: release.revision, phase: 'contract' } as const;
    tellSteps(place, stepsInSchema(release.contract ?? [], release, schema), stepsDone, report);
  }
}

function tellSteps(
  place: Omit<StepPosition, 'step' | 'steps'>,
  all: readonly MigrationStep[],
  stepsDone: number,
  report: Report,
): void {
  for (const { step, done } of turnsOf(all, stepsDone, place.phase)) {
    const pending = step.kind === 'backfill' ? step.pending : null;
    const at = { ...place, step: done, steps: all.length };
    report({ kind: 'would-run', ...at, how: step.kind, statements: statementsOf(step), pending });
  }
}
