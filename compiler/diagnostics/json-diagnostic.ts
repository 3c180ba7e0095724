/** Diagnostics as JSON has them. These types are part of the package, so they name as few others as possible. */
import type { Severity } from './words/words.ts';

export interface JsonPosition {
  readonly line: number;
  readonly column: number;
  /** The offset in UTF-16 code units from the start of the file, as editors and JavaScript count. */
  readonly offset: number;
}

export interface JsonRange {
  readonly file: string;
  readonly start: JsonPosition;
  readonly end: JsonPosition;
}

export interface JsonDiagnostic extends JsonRange {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly label?: string;
  readonly help?: string;
  readonly notes: readonly ({ readonly message: string } & JsonRange)[];
  readonly edits: readonly (JsonRange & { readonly text: string })[];
}
