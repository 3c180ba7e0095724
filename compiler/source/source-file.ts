/** One `.kiln` file: where it is, relative to the project's folder and with `/`, and what it says. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Answers what a file of the project says, by its path relative to the project's folder; nothing where it is not there. */
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
