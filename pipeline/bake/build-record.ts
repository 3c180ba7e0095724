/** What became of the build of a release: the file `build.json` beside its report, see `ledger/build-files.ts`. */
import type { Verdict } from '../smoke/verdict.ts';
import type { FinishedStep } from './steps.ts';

export interface BuildRecord {
  readonly revision: string;
  readonly outcome: 'tested' | 'failed' | 'built';
  /** Why it failed. */
  readonly why: string | null;
  /** When it ended, as an ISO timestamp. */
  readonly finished: string;
  readonly image: BuiltImage | null;
  readonly steps: readonly FinishedStep[];
  readonly verdicts: readonly Verdict[];
}

export interface BuiltImage {
  /** The digest of its configuration. */
  readonly id: string;
  readonly names: readonly string[];
  /** By name, of each registry that took it. */
  readonly digests: Readonly<Record<string, string>>;
  /** Of the application's layer, in bytes. */
  readonly layer: number;
}
