/** What can be done with jobs, as the dialog asks for it. */
import type { JobState, StoredJob, WorkKind } from '../../runtime/console/work/work-forms.ts';

export const STATE_WORDS: Readonly<Record<JobState, string>> = {
  waiting: 'Waiting',
  later: 'Later',
  running: 'Running',
  failed: 'Failed',
};

/** The body of a request: one job, or all of a kind that have failed. */
type Jobs = { readonly id: string } | { readonly kind: string };

export interface Asked {
  readonly title: string;
  readonly note: string;
  readonly action: string;
  readonly look: 'primary' | 'danger';
  /** The path in the console's API. */
  readonly path: string;
  readonly jobs: Jobs;
}

export function runAgain(jobs: Jobs, what: string): Asked {
  const note = 'Due at once, with all tries. What earlier tries did outside of the database may happen again.';
  return { title: `Run ${what} again?`, note, action: 'Run again', look: 'primary', path: 'work/run', jobs };
}

export function discard(jobs: Jobs, what: string): Asked {
  const note = 'A discarded job never runs. This cannot be undone.';
  return { title: `Discard ${what}?`, note, action: 'Discard', look: 'danger', path: 'work/discard', jobs };
}

/** The name of the job; a kind that this release cannot read is shown whole. */
export function kindName({ kind, job }: WorkKind): string {
  return job?.name ?? kind;
}

export function jobName(kinds: readonly WorkKind[], { kind }: StoredJob): string {
  return kinds.find((each) => each.kind === kind)?.job?.name ?? kind.replace(/\(.*/, '');
}
