import type { PlacedDifference } from '../difference/placed-difference.ts';

export interface DifferencePageInput {
  readonly application: string;
  /** How each side is called: a release, a revision, an image or the work tree. */
  readonly from: string;
  readonly to: string;
  readonly difference: PlacedDifference;
}

/** One self-contained page of HTML. */
export function differencePage(_input: DifferencePageInput): string {
  return '';
}
