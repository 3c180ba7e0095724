import type { Release } from '../definition/migration.ts';

/**
 * Why images of the release before do not go on working while a release is rolled out; null where they do. A release of
 * this Kiln keeps what they need, so only releases of older ones are in question.
 */
export function unsafeBeside(
  { steps, beside, contract = [] }: Pick<Release, 'steps' | 'beside' | 'contract'>,
  isPreviousOlder: boolean,
): string | null {
  // Then both have the same tables.
  if (steps.length === 0) return null;
  if (beside === undefined) return 'this release was made by an older Kiln';
  return contract.length > 0 && isPreviousOlder ? 'it was built by an older Kiln' : null;
}
