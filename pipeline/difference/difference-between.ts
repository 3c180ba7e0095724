/** Two definitions in, all that is different between them out, each line with its place in the source. */

import { problemWords } from '../../compiler/change/problem-place.ts';
import { type ChangeProblem, problemsBetween } from '../../compiler/change/problems.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { accessChanges } from '../../compiler/difference/access-changes.ts';
import { apiChanges } from '../../compiler/difference/api-changes.ts';
import { dataDifference } from '../../compiler/difference/data-difference.ts';
import type { ApiChange, DataDifference, Difference, Line, Subject } from '../../compiler/difference/difference.ts';
import { costChanges } from './cost-changes.ts';
import type { Placed, PlacedDifference, UndecidedData } from './placed-difference.ts';
import type { PlaceOf } from './subject-place.ts';

export function differenceBetween(before: Definition, after: Definition, placeOf: PlaceOf): PlacedDifference {
  const undecided = problemsBetween(before, after).map(undecidedFrom);
  const { api, data, access } = unplaced(before, after, undecided.length === 0);
  return {
    api: placed(api, placeOf),
    data: {
      steps: placed(data.steps, placeOf),
      later: placed(data.later, placeOf),
      unsafeBeside: data.unsafeBeside,
      ...(undecided.length > 0 ? { undecided: placed(undecided, placeOf) } : {}),
    },
    access: placed(access, placeOf),
    cost: placed(costChanges(before, after), placeOf),
  };
}

/** Of a change that leaves something undecided nobody knows the steps. */
function unplaced(before: Definition, after: Definition, isDecided: boolean): Difference {
  return {
    api: apiChanges(before, after),
    data: isDecided ? dataDifference(before, after) : NO_STEPS,
    access: accessChanges(before, after),
  };
}

const NO_STEPS: DataDifference = { steps: [], later: [], unsafeBeside: null };

/** For those who ask for nothing else. */
export function apiDifference(before: Definition, after: Definition, placeOf: PlaceOf): readonly Placed<ApiChange>[] {
  return placed(apiChanges(before, after), placeOf);
}

function undecidedFrom(problem: ChangeProblem): UndecidedData {
  const { message, help } = problemWords(problem);
  return { code: problem.code, says: message, help: help ?? null, subject: subjectOf(problem) };
}

/** `models.Post.fields.title`, `enums.Status`; empty where the model is gone. */
function subjectOf({ path, facts }: ChangeProblem): Subject {
  const [kind, name = '', , member] = path.split('.');
  if (kind === 'enums') return { kind: 'enum', name };
  if (kind === 'models') return { kind: 'model', name, ...(member === undefined ? {} : { member }) };
  return 'model' in facts ? { kind: 'model', name: facts.model } : { kind: 'application' };
}

function placed<L extends Line>(lines: readonly L[], placeOf: PlaceOf): readonly Placed<L>[] {
  return lines.map((line) => ({ ...line, place: placeOf(line.subject) }));
}
