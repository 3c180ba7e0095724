/** The answers of the console's API about work. The browser's side reads these types too. */
import type { Count } from '../data/data-forms.ts';

export const JOB_STATES = ['waiting', 'later', 'running', 'failed'] as const;

/** `later` is a job that is not due yet: it is tried again after a while, or others of its line come first. */
export type JobState = (typeof JOB_STATES)[number];

/** The jobs that are stored under one kind, and what they are to this release: an item of `GET /_console/work`. */
export interface WorkKind {
  /** `SendReceipt(copy boolean, order_id integer)` */
  readonly kind: string;
  /** Null where no job of this release can read it: another release runs it. `tries` is the most, the first among them. */
  readonly job: { readonly name: string; readonly isExactlyOnce: boolean; readonly tries: number } | null;
  readonly counts: Readonly<Record<JobState, Count>>;
  /** Since when the oldest one that waits is due; null where none waits. */
  readonly oldest: string | null;
}

export interface StoredJob {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** The tries so far, with the one that runs. */
  readonly attempt: number;
  /** Null for a job that has failed, or waits for others of its line. */
  readonly dueAt: string | null;
  /** Of the last try that has failed, or why it waits. */
  readonly error: string | null;
  /** The inputs, as the text of their JSON, which may be cut off. */
  readonly input: string;
}

/** The answer of `GET /_console/work/jobs`, newest first. */
export interface JobPage {
  readonly jobs: readonly StoredJob[];
  readonly hasMore: boolean;
}
