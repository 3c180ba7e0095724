/** A difference with the place of each line in the source: what `kiln diff --json` prints and a release records. */
import { pathTemplate } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { type AccessRow, accessMatrix } from '../../compiler/difference/access-rules.ts';
import type {
  AccessChange,
  ApiChange,
  DataStep,
  Line,
  SettingChange,
  WorkChange,
} from '../../compiler/difference/difference.ts';
import { type JobRow, jobMatrix } from '../../compiler/difference/work-rules.ts';
import { pathOf } from '../../compiler/program/endpoint-path.ts';
import type { Program } from '../../compiler/program/program.ts';
import type { SourceMap } from '../../compiler/source/line-index.ts';
import type { CostChange } from './cost-changes.ts';

export interface Place {
  readonly file: string;
  /** The line, counted from 1. */
  readonly line: number;
  /** The column, counted from 1. */
  readonly column: number;
}

/** Data of which the change does not say what becomes of it: no release can be made of it yet. */
export interface UndecidedData extends Line {
  /** The code for `kiln explain`. */
  readonly code: string;
  readonly help: string | null;
}

/** The place is null where nothing of it is in the sources at hand. */
export type Placed<L extends Line> = L & { readonly place: Place | null };

export interface PlacedDifference {
  readonly api: readonly Placed<ApiChange>[];
  readonly data: {
    readonly steps: readonly Placed<DataStep>[];
    readonly later: readonly Placed<DataStep>[];
    /** Absent where everything is decided. Where it is there, no steps are known. */
    readonly undecided?: readonly Placed<UndecidedData>[];
  };
  readonly access: readonly Placed<AccessChange>[];
  readonly cost: readonly Placed<CostChange>[];
  /** Absent where none changed. */
  readonly settings?: readonly Placed<SettingChange>[];
  /** Absent where no job and no reaction changed. */
  readonly work?: readonly Placed<WorkChange>[];
}

export interface PlacedRow extends AccessRow {
  /** Null for the endpoints of accounts, which are written nowhere. */
  readonly place: Place | null;
}

/** Lists who may call each endpoint, and where in the sources that is stated. */
export function placedMatrix(definition: Definition, { endpoints }: Program, sources: SourceMap): readonly PlacedRow[] {
  // A route is of one endpoint only.
  const spans = new Map(
    endpoints.flatMap((each) =>
      [each.method, each.otherMethod].map((method) => [`${method} ${pathTemplate(pathOf(each))}`, each.span]),
    ),
  );
  const placeOf = (route: string): Place | null => {
    const span = spans.get(route);
    if (!span) return null;
    return { file: sources.name(span.file), ...sources.lines(span.file).positionAt(span.start) };
  };
  return accessMatrix(definition).map((row) => ({ ...row, place: placeOf(row.endpoint) }));
}

export interface PlacedJob extends JobRow {
  readonly place: Place;
}

/** Lists the jobs, with their places. The one that removes files is not written anywhere. */
export function placedJobs(definition: Definition, { jobs }: Program, sources: SourceMap): readonly PlacedJob[] {
  const spans = new Map(jobs.map(({ name, span }) => [name, span]));
  return jobMatrix(definition).flatMap((row) => {
    const span = spans.get(row.job);
    if (!span) return [];
    return [{ ...row, place: { file: sources.name(span.file), ...sources.lines(span.file).positionAt(span.start) } }];
  });
}
