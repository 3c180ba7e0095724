/** Two definitions in, all that is different between them out, each line with its place in the source. */
import { problemWords } from '../../compiler/change/problem-place.ts';
import { type ChangeProblem, problemsBetween } from '../../compiler/change/problems.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { accessChanges } from '../../compiler/difference/access-changes.ts';
import { apiChanges } from '../../compiler/difference/api-changes.ts';
import { dataDifference } from '../../compiler/difference/data-difference.ts';
import type { ApiChange, Line, Subject } from '../../compiler/difference/difference.ts';
import { settingChanges } from '../../compiler/difference/setting-changes.ts';
import { workChanges } from '../../compiler/difference/work-changes.ts';
import { costChanges } from './cost-changes.ts';
import type { Placed, PlacedDifference, UndecidedData } from './placed-difference.ts';
import type { PlaceOf } from './subject-place.ts';

export function differenceBetween(before: Definition, after: Definition, placeOf: PlaceOf): PlacedDifference {
  const undecided = problemsBetween(before, after).map(undecidedFrom);
  // The steps are not known for a change that leaves something undecided.
  const data = undecided.length === 0 ? dataDifference(before, after) : { steps: [], later: [] };
  const settings = settingChanges(before, after);
  const work = workChanges(before, after);
  return {
    api: apiDifference(before, after, placeOf),
    data: {
      steps: placed(data.steps, placeOf),
      later: placed(data.later, placeOf),
      ...(undecided.length > 0 ? { undecided: placed(undecided, placeOf) } : {}),
    },
    access: placed(accessChanges(before, after), placeOf),
    cost: placed(costChanges(before, after), placeOf),
    ...(settings.length === 0 ? {} : { settings: placed(settings, placeOf) }),
    ...(work.length === 0 ? {} : { work: placed(work, placeOf) }),
  };
}

/** Compares only the APIs. */
export function apiDifference(before: Definition, after: Definition, placeOf: PlaceOf): readonly Placed<ApiChange>[] {
  return placed(apiChanges(before, after), placeOf);
}

function undecidedFrom(problem: ChangeProblem): UndecidedData {
  const { message, help } = problemWords(problem);
  return { code: problem.code, says: message, help: help ?? null, subject: subjectOf(problem) };
}

/** `models.Post.fields.title`, `enums.Status`, `jobs.Send`; empty where the model or job is gone. */
function subjectOf({ path, facts }: ChangeProblem): Subject {
  const [kind, name = '', , member] = path.split('.');
  if (kind === 'enums') return { kind: 'enum', name };
  if (kind === 'models') return { kind: 'model', name, ...(member === undefined ? {} : { member }) };
  if (kind === 'jobs') return { kind: 'job', name };
  return 'model' in facts ? { kind: 'model', name: facts.model } : { kind: 'application' };
}

function placed<L extends Line>(lines: readonly L[], placeOf: PlaceOf): readonly Placed<L>[] {
  return lines.map((line) => ({ ...line, place: placeOf(line.subject) }));
}
