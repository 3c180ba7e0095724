import { problemText } from '../../compiler/change/problem-place.ts';
import type { Loss } from './sync.ts';

/** What would be lost, and what to do about it. */
export function lossText({ problems, isEverything }: Loss): string {
  const all = problems.map(problemText).join('\n');
  const end = isEverything
    ? 'The rows that exist cannot be kept: the database would be made anew, without any of them.'
    : 'What has disappeared would be deleted with its data; everything else is kept.';
  return `${all}\n${end}`;
}

export function lossQuestion({ isEverything }: Loss): string {
  return isEverything ? 'Make the database anew, and lose all rows?' : 'Delete it?';
}
