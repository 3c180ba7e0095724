import { comparisonOf } from '../change/comparison.ts';
import { problemWords } from '../change/problem-place.ts';
import { problemsBetween } from '../change/problems.ts';
import type { Definition } from '../definition/definition.ts';
import { statementsOf } from '../definition/migration.ts';
import type { PhasedStep } from '../emit/migration/phased-step.ts';
import { placedBetween, releaseFrom } from '../emit/migration/release-between.ts';
import { unsafeBeside } from './beside.ts';
import { APPLICATION, dataSubjects } from './data-subjects.ts';
import type { DataDifference, DataStep, Subject } from './difference.ts';

/**
 * What a database of the earlier definition goes through. Where the author has not yet said what becomes of data, these
 * are the steps that would delete it, and `problems` says what is missing. It never throws.
 */
export function dataDifference(before: Definition, after: Definition): DataDifference {
  const comparison = comparisonOf(before, after);
  const problems = problemsBetween(before, after);
  const placed = placedBetween(before, after);
  const hasSteps = placed.now.length + placed.later.length > 0;
  const subjectOf = hasSteps ? dataSubjects(comparison) : () => APPLICATION;
  const stepsOf = (parts: readonly PhasedStep[]) => parts.flatMap((part) => dataSteps(part, subjectOf(part.about)));
  return {
    steps: stepsOf(placed.now),
    later: stepsOf(placed.later),
    unsafeBeside: unsafeBeside(releaseFrom(placed), false),
    ...(problems.length > 0 && { problems: problems.map((problem) => problemWords(problem).message) }),
  };
}

function dataSteps({ step }: PhasedStep, subject: Subject): readonly DataStep[] {
  return statementsOf(step).map(({ says, hazards }) => ({ says, hazards, subject }));
}
