/** The result of the build of a release: the file `build.json` beside its report, see `ledger/build-files.ts`. */

import type { PlacedDifference } from '../difference/placed-difference.ts';
import { type Is, isAmount, isShaped, isText, listOf, objectOf, oneOf, orNull, shapedFrom } from '../ledger/shapes.ts';
import type { FinishedStep, Verdict } from '../smoke/steps.ts';

export interface BuildRecord {
  readonly revision: string;
  readonly outcome: 'tested' | 'failed' | 'built';
  /** The reason why the build failed. */
  readonly why: string | null;
  /** The time when it ended, as an ISO timestamp. */
  readonly finished: string;
  readonly image: BuiltImage | null;
  readonly steps: readonly FinishedStep[];
  readonly verdicts: readonly Verdict[];
}

export interface BuiltImage {
  /** The digest of its configuration. */
  readonly id: string;
  readonly names: readonly string[];
  /** The digest in each registry that took the image, by the name of the image. */
  readonly digests: Readonly<Record<string, string>>;
  /** The size of the application's layer, in bytes. */
  readonly layer: number;
}

/** Parses a build record; undefined where the text is not one: a push may have brought it. */
export function buildRecordFromText(text: string): BuildRecord | undefined {
  return shapedFrom(text, isBuildRecord);
}

export function buildRecordText(record: BuildRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

const isBuildRecord = isShaped({
  revision: isText,
  outcome: oneOf('tested', 'failed', 'built'),
  why: orNull(isText),
  finished: isText,
  image: orNull(isShaped({ id: isText, names: listOf(isText), digests: objectOf(isText), layer: isAmount })),
  steps: listOf(isShaped({ name: isText, milliseconds: isAmount, detail: orNull(isText) })),
  verdicts: listOf(
    isShaped({
      of: isText,
      outcome: oneOf('passed', 'warned', 'failed', 'skipped'),
      says: isText,
      details: listOf(isText),
    }),
  ),
} satisfies Record<keyof BuildRecord, Is>);

// ── Report ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// The report of what a release brings, for people and for `kiln pipeline show`. It is stored with the release, and is
// the same for the same release.

export interface ReleaseReport {
  readonly application: string;
  readonly revision: string;
  readonly subject: string;
  readonly committed: string;
  readonly models: number;
  readonly endpoints: number;
  /** The steps that a database of the release that it is compared with has to do. */
  readonly database: readonly string[];
  /** The revision of the release that it was compared with, where releases between the two failed their test. */
  readonly since: string | null;
  /** Null for the first release. */
  readonly difference: PlacedDifference | null;
  /** The reasons that commits give for breaking changes of the API. */
  readonly breaking: readonly string[];
  /** The reasons that they give for rules of access that let more callers in. */
  readonly reviewed: readonly string[];
  /** The gates that were on. */
  readonly gates: readonly string[];
}

/** Earlier versions of Kiln left out what was empty. */
const EMPTY = { since: null, difference: null, breaking: [], reviewed: [], gates: [] };

export function reportFrom(text: string): ReleaseReport {
  return { ...EMPTY, ...(JSON.parse(text) as ReleaseReport) };
}
