/** What the test of a release has shown, one thing each. The report of the release begins with them. */
export interface Verdict {
  /** A few words: `contract`, `migration`, `plans`, `withdrawal of release 2`. No two verdicts have the same. */
  readonly of: string;
  readonly outcome: 'passed' | 'warned' | 'failed' | 'skipped';
  /** One sentence, without a full stop. */
  readonly says: string;
  readonly details: readonly string[];
}
