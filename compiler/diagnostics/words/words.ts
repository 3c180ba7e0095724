import type { Span } from '../../source/source-file.ts';

export type Severity = 'error' | 'warning';

/** What is said to the author about one fact. */
export interface Words {
  /** What was seen, in one sentence without a full stop, quoting the author's names in backticks. */
  readonly message: string;
  /** A few words at the caret: most often the fix. */
  readonly label?: string | undefined;
  /** The other places that take part. */
  readonly notes?: readonly Note[] | undefined;
  /** What to do, where that does not fit at the caret. */
  readonly help?: string | undefined;
  /** What to write in place of what is marked, where that fixes it. */
  readonly instead?: string | undefined;
  /** Changes that fix it otherwise. All of them together make one fix. */
  readonly edits?: readonly Edit[] | undefined;
  readonly severity?: Severity | undefined;
}

export interface Note {
  readonly span: Span;
  readonly text: string;
}

export interface Edit {
  readonly span: Span;
  readonly text: string;
}
