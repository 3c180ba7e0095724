/** A difference with the place of each line in the source: what `kiln diff --json` prints and a release records. */
import type {
  AccessChange,
  ApiChange,
  DataStep,
  Line,
  SettingChange,
  WorkChange,
} from '../../compiler/difference/difference.ts';
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
