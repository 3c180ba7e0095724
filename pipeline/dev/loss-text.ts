import type { ChangeProblem } from '../../compiler/change/problems.ts';
import type { Loss } from './sync.ts';

/** Problems of a change as they are shown, with the sources that they are about. */
export type ProblemsText = (problems: readonly ChangeProblem[]) => string;

/** What would be lost, and what to do about it. */
export function lossText({ problems, isEverything }: Loss, problemsText: ProblemsText): string {
  const end = isEverything
    ? 'The rows that exist cannot be kept: the database would be made anew, without any of them.'
    : 'What has disappeared would be deleted with its data; everything else is kept.';
  return `The sources have changed from what the development database has:\n\n${problemsText(problems)}\n${end}`;
}

export function lossQuestion({ isEverything }: Loss): string {
  return isEverything ? 'Make the database anew, and lose all rows?' : 'Delete it?';
}
