import type { ChangeProblem } from '../../compiler/change/problems.ts';
import type { Loss } from './sync.ts';

/** Problems of a change as they are shown, with the sources that they are about. */
export type ProblemsText = (problems: readonly ChangeProblem[]) => string;

/** What would be lost, and what to do about it. */
export function lossText({ problems, isEverything }: Loss, problemsText: ProblemsText): string {
  const mayBeRename = problems.some(({ facts }) => 'candidates' in facts && facts.candidates.length > 0);
  const end = isEverything
    ? `${mayBeRename ? 'Unless this is a rename, the' : 'The'} rows that exist cannot be kept: all tables would be deleted and made again, without any row.`
    : 'What has disappeared would be deleted with its data; everything else is kept.';
  return `The sources have changed from what the development database has:\n\n${problemsText(problems)}\n${end}`;
}
