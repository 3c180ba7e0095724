import type { Span } from '../../source/source-file.ts';

export type Severity = 'error' | 'warning';

/** The words for the author about one fact. */
export interface Words {
  /** The observation, in one sentence without a full stop, quoting the author's names in backticks. */
  readonly message: string;
  /** A few words at the caret: most often the fix. */
  readonly label?: string | undefined;
  /** The other places that take part. */
  readonly notes?: readonly Note[] | undefined;
  /** The thing to do, if it does not fit at the caret. */
  readonly help?: string | undefined;
  /** The text that replaces the marked text, if that fixes it. */
  readonly instead?: string | undefined;
  /** Other changes that fix it. All of them together make one fix. */
  readonly edits?: readonly Edit[] | undefined;
  readonly severity?: Severity | undefined;
}

/** What most diagnostics have: what was seen, and the fix in a few words. */
export function said(message: string, label: string): Words {
  return { message, label };
}

export interface Note {
  readonly span: Span;
  readonly text: string;
}

export interface Edit {
  readonly span: Span;
  readonly text: string;
}
