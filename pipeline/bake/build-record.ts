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

/** Nothing where it is no such record: a push may have brought it. */
export function buildRecordFromText(text: string): BuildRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isBuildRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function buildRecordText(record: BuildRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

const OUTCOMES: readonly unknown[] = ['tested', 'failed', 'built'] satisfies BuildRecord['outcome'][];
const VERDICTS: readonly unknown[] = ['passed', 'warned', 'failed', 'skipped'] satisfies Verdict['outcome'][];

function isBuildRecord(value: unknown): value is BuildRecord {
  if (!isObject(value)) return false;
  const { revision, outcome, why, finished, image, steps, verdicts } = value;
  return (
    [revision, finished].every(isText) &&
    OUTCOMES.includes(outcome) &&
    (why === null || isText(why)) &&
    (image === null || isImage(image)) &&
    isListOf(steps, isStep) &&
    isListOf(verdicts, isVerdict)
  );
}

function isImage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, names, digests, layer } = value;
  const areDigests = isObject(digests) && Object.values(digests).every(isText);
  return isText(id) && isListOf(names, isText) && areDigests && isAmount(layer);
}

function isStep(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, milliseconds, detail } = value;
  return isText(name) && isAmount(milliseconds) && (detail === null || isText(detail));
}

function isVerdict(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isText(value.of) && VERDICTS.includes(value.outcome) && isText(value.says) && isListOf(value.details, isText);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
