/**
 * What takes the steps of a release back, one after the other from the last one that was done, while servers of the
 * release before go on. After each of them that release finds what it found on the way there; in the end the database
 * equals one of that release, except for values that were changed in place.
 */
import type { Definition } from '../../definition/definition.ts';
import type { UndoneStep } from '../../definition/migration.ts';
import { grouped, joined } from './migration-from.ts';
import type { PhasedStep } from './phased-step.ts';
import { placedBetween, tablesOf } from './release-between.ts';

/** One for each step that `releaseBetween` has, in the order of those. */
export function undoBetween(previous: Definition, next: Definition): readonly UndoneStep[] {
  return grouped(placedBetween(previous, next).now, tablesOf).map(undoneStep);
}

function undoneStep(parts: readonly PhasedStep[]): UndoneStep {
  const remains = [...new Set(parts.flatMap((part) => part.remains ?? []))];
  const steps = joined(checksFirst(parts.toReversed().flatMap(undoOf)), () => '');
  return remains.length === 0 ? { steps } : { steps, remains };
}

/** What is found then is dropped in the next transaction, with as little as possible in between. */
function checksFirst(undo: readonly PhasedStep[]): readonly PhasedStep[] {
  const isCheck = ({ phase }: PhasedStep) => phase === 'check';
  return [...undo.filter(isCheck), ...undo.filter((part) => !isCheck(part))];
}

function undoOf({ undo, phase }: PhasedStep): readonly PhasedStep[] {
  if (undo === undefined) throw new Error(`no step of the phase "${phase}" comes while the release before is served`);
  return undo;
}
