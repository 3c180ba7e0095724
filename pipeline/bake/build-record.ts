/** The result of the build of a release: the file `build.json` beside its report, see `ledger/build-files.ts`. */

import { pathPattern } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { type MigrationStep, statementsOf } from '../../compiler/definition/migration.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import type { Commit } from '../git/commit.ts';
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
  try {
    const value: unknown = JSON.parse(text);
    return isBuildRecord(value) ? (value as BuildRecord) : undefined;
  } catch {
    return undefined;
  }
}

export function buildRecordText(record: BuildRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

type Is = (value: unknown) => boolean;

const isText: Is = (value) => typeof value === 'string';
const isAmount: Is = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const oneOf =
  (...words: readonly string[]): Is =>
  (value) =>
    isText(value) && words.includes(value as string);
const orNull =
  (is: Is): Is =>
  (value) =>
    value === null || is(value);
const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is);
const objectOf =
  (is: Is): Is =>
  (value) =>
    isObject(value) && Object.values(value).every(is);
const isShaped =
  (shape: Readonly<Record<string, Is>>): Is =>
  (value) =>
    isObject(value) && Object.entries(shape).every(([key, is]) => is(value[key]));

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

interface ReportInput {
  readonly application: string;
  readonly commit: Commit;
  readonly definition: Definition;
  /** The definition of the release that this one is compared with. */
  readonly previous: Definition | null;
  /** The revision of that release, where releases between the two failed their test; otherwise null. */
  readonly since: string | null;
  /** The steps that a database of that release has to do. */
  readonly steps: readonly MigrationStep[];
  readonly difference: PlacedDifference | null;
  readonly breaking: readonly string[];
  readonly reviewed: readonly string[];
  readonly gates: readonly string[];
}

export interface ReleaseReport {
  readonly application: string;
  readonly revision: string;
  readonly subject: string;
  readonly committed: string;
  readonly models: number;
  readonly endpoints: number;
  readonly database: readonly string[];
  readonly api: ApiDifference;
  /** The difference. Absent for the first release. */
  readonly difference?: PlacedDifference;
  /** The revision of the release that it was compared with. Absent where that is the previous one. */
  readonly since?: string;
  /** The reasons that commits give for breaking changes of the API. Absent where there are none. */
  readonly breaking?: readonly string[];
  /** The reasons that they give for rules of access that let more callers in. Absent where there are none. */
  readonly reviewed?: readonly string[];
  /** The gates that were on. Absent where none was. */
  readonly gates?: readonly string[];
}

interface ApiDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export function reportText(input: ReportInput): string {
  return `${JSON.stringify(reportOf(input), null, 2)}\n`;
}

function reportOf(input: ReportInput): ReleaseReport {
  const { application, commit, definition, previous, since, steps, difference, breaking, reviewed, gates } = input;
  return {
    application,
    revision: commit.revision,
    subject: commit.subject,
    committed: new Date(commit.time * 1000).toISOString(),
    models: definition.models.length,
    endpoints: definition.endpoints.length,
    database: previous === null ? ['make all tables'] : steps.flatMap(statementsOf).map(({ says }) => says),
    api: apiDifference(previous, definition),
    ...(since === null ? {} : { since }),
    ...(difference === null ? {} : { difference }),
    ...(breaking.length === 0 ? {} : { breaking }),
    ...(reviewed.length === 0 ? {} : { reviewed }),
    ...(gates.length === 0 ? {} : { gates }),
  };
}

function apiDifference(previous: Definition | null, next: Definition): ApiDifference {
  const before = new Map((previous?.endpoints ?? []).map((endpoint) => [routeOf(endpoint), JSON.stringify(endpoint)]));
  const after = new Map(next.endpoints.map((endpoint) => [routeOf(endpoint), JSON.stringify(endpoint)]));
  return {
    added: [...after.keys()].filter((route) => !before.has(route)),
    removed: [...before.keys()].filter((route) => !after.has(route)),
    changed: [...after]
      .filter(([route, text]) => before.has(route) && before.get(route) !== text)
      .map(([route]) => route),
  };
}

function routeOf({ method, path }: Endpoint): string {
  return `${method} ${pathPattern(path)}`;
}
