/** What the test of a release has shown, one thing each. The report of the release begins with them. */
export interface Verdict {
  /** One word or two: `contract`, `migration`, `plans`, `access`. */
  readonly of: string;
  readonly outcome: 'passed' | 'warned' | 'failed' | 'skipped';
  /** One sentence, without a full stop. */
  readonly says: string;
  readonly details: readonly string[];
}
