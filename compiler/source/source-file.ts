/** One `.kiln` file: its path relative to the project's folder, with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The text of a file of the project, by its path relative to the project's folder; undefined if it does not exist. */
export type FileText = (path: string) => string | undefined;

/** A stretch of a source file, in UTF-16 code units; `end` is exclusive. */
export interface Span {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** A line and a column as people count them, from 1. Columns count code points, so that an emoji is one column. */
export interface Position {
  readonly line: number;
  readonly column: number;
}
