/** What is to be done to a database, in order. The same plan is carried out, or only told by a dry run. */

import {
  type Hop,
  hopsFrom,
  type MigrationStep,
  type Release,
  type ReleaseChain,
  releaseChecksum,
  statementsOf,
} from '../../compiler/definition/migration.ts';
import { type Contraction, contractionAfter, contractSteps } from './contraction.ts';
import type { Report, StepPosition } from './events.ts';
import type { Progress } from './ledger.ts';
import type { Behind, ReleaseState } from './release-state.ts';
import { schemaStatements, stepsInSchema, turnsOf } from './turns.ts';
import { type Undoing, undoingOf, unrecordedStart } from './withdrawal.ts';

export type Deed =
  /** Makes all of an empty database. `partsDone` are those of a run before this one. */
  | { readonly kind: 'schema'; readonly partsDone: number }
  | ReleaseDeed
  | WithdrawDeed
  | { readonly kind: 'contract'; readonly contraction: Contraction };

export interface ReleaseDeed {
  readonly kind: 'release';
  readonly position: number;
  readonly release: Release;
  /** The position of the release that the steps begin with: the one before, or the one before those that are withdrawn. */
  readonly from: number;
  /** Whether that one was contracted, on the way that this database has taken to it. */
  readonly isFromContracted: boolean;
  /** By a run before this one, and what they have taken. */
  readonly stepsDone: number;
  readonly milliseconds: number;
}

/** Gives up the releases between these two positions. */
export interface WithdrawDeed {
  readonly kind: 'withdraw';
  readonly from: number;
  readonly until: number;
  /** What was begun; null where there is nothing. */
  readonly undoing: Undoing | null;
}

export interface Plan {
  readonly deeds: readonly Deed[];
  /** What stays to be contracted after that. */
  readonly pending: Contraction | null;
}

/** A contraction is due when the next release comes, or when it is asked for. One that has begun is completed. */
export function planFor(chain: ReleaseChain, state: ReleaseState, isContracting: boolean): Plan {
  if (state.kind === 'empty') return { deeds: [{ kind: 'schema', partsDone: state.partsDone }], pending: null };
  const deeds = allDeeds(chain, state);
  const last = deeds.at(-1);
  const isPending = last?.kind === 'contract' && !isContracting && last.contraction.stepsDone === 0;
  return isPending ? { deeds: deeds.slice(0, -1), pending: last.contraction } : { deeds, pending: null };
}

function allDeeds(chain: ReleaseChain, state: ReleaseState): readonly Deed[] {
  if (state.kind === 'current') return contractionOf(state.contraction);
  if (state.kind !== 'behind') return [];
  const hops = hopsFrom(chain.releases, state.releasesDone);
  const deeds: Deed[] = [];
  let pending = state.contraction;
  for (const [index, hop] of hops.entries()) {
    const before = hops[index - 1];
    // A release that leaves the tables as they are leaves the servers alone that work with them.
    if (hop.release.steps.length > 0 || (pending?.stepsDone ?? 0) > 0) {
      deeds.push(...contractionOf(pending));
      pending = null;
    }
    deeds.push(...(before ? laterHop(hop, before) : firstHop(chain, state, hop)));
    pending ??= contractionAfter(hop.position, hop.release);
  }
  return [...deeds, ...contractionOf(pending)];
}

/** A run before this one may have begun it, or another one that has to be undone. */
function firstHop(
  chain: ReleaseChain,
  { releasesDone, releasesRecorded, progress, isContracted }: Behind,
  hop: Hop,
): readonly Deed[] {
  const isBegun = progress?.position === hop.position && progress.checksum === releaseChecksum(hop.release);
  if (isBegun || (progress === null && releasesRecorded === hop.position - 1))
    return hopDeeds(hop, isContracted, progress);
  const begun = progress ?? unrecordedStart(chain, releasesDone, releasesRecorded);
  const undoing = begun && undoingOf(chain, releasesDone, begun);
  if (undoing === undefined) throw new Error(`nothing says how to undo release ${begun?.position}`);
  return [...withdrawal(hop, undoing), ...hopDeeds(hop, isContracted, null)];
}

function laterHop(hop: Hop, before: Hop): readonly Deed[] {
  const isContracted = contractionAfter(before.position, before.release) !== null;
  return [...withdrawal(hop, null), ...hopDeeds(hop, isContracted, null)];
}

function withdrawal({ from, position: until }: Hop, undoing: Undoing | null): readonly Deed[] {
  return until === from + 1 ? [] : [{ kind: 'withdraw', from, until, undoing }];
}

function hopDeeds(
  { position, release, from }: Hop,
  isFromContracted: boolean,
  progress: Progress | null,
): readonly Deed[] {
  const { stepsDone, milliseconds } = progress ?? { stepsDone: 0, milliseconds: 0 };
  return [{ kind: 'release', position, release, from, isFromContracted, stepsDone, milliseconds }];
}

function contractionOf(contraction: Contraction | null): readonly Deed[] {
  return contraction ? [{ kind: 'contract', contraction }] : [];
}

/** Tells what a migration would run, and runs none of it. */

/** `schema` is that of the application. */
export function tellDeed(chain: ReleaseChain, deed: Deed, schema: string, report: Report): void {
  if (deed.kind === 'schema') tellSchema(chain, deed.partsDone, report);
  if (deed.kind === 'release') {
    const { position, release, stepsDone } = deed;
    const steps = stepsInSchema(release.steps, release, schema);
    tellSteps({ position, revision: release.revision }, steps, stepsDone, report);
  }
  if (deed.kind === 'withdraw' && deed.undoing) {
    const { progress, beside, steps, stepsDone } = deed.undoing;
    const place = { position: progress.position, revision: progress.revision, phase: 'withdraw' } as const;
    tellSteps(place, stepsInSchema(steps, { beside }, schema), stepsDone, report);
  }
  if (deed.kind === 'contract') {
    const { position, release, stepsDone } = deed.contraction;
    const place = { position, revision: release.revision, phase: 'contract' } as const;
    tellSteps(place, stepsInSchema(contractSteps(release), release, schema), stepsDone, report);
  }
}

function tellSchema(chain: ReleaseChain, partsDone: number, report: Report): void {
  for (const { place, statement } of schemaStatements(chain).slice(partsDone)) {
    report({ kind: 'would-run', ...place, how: 'schema', statements: [statement], pending: null });
  }
}

function tellSteps(
  place: Omit<StepPosition, 'step' | 'steps'>,
  steps: readonly MigrationStep[],
  stepsDone: number,
  report: Report,
): void {
  for (const { step, done } of turnsOf(steps, stepsDone, place.phase)) {
    tellStep({ ...place, step: done, steps: steps.length }, step, report);
  }
}

function tellStep(place: StepPosition, step: MigrationStep, report: Report): void {
  const pending = step.kind === 'backfill' ? step.pending : null;
  report({ kind: 'would-run', ...place, how: step.kind, statements: statementsOf(step), pending });
}
