/** One try of a job, in this thread: what became of it is told as data. */
import type { Logger } from 'pino';
import { REFUSED } from '../../compiler/definition/contract/problems.ts';
import { DeliveryError } from '../deliver/delivery-error.ts';
import type { WorkRoute } from '../endpoints/work-route.ts';
import { ApiError, Refusal } from '../errors/api-error.ts';
import { DatabaseError } from '../query/database.ts';
import type { Sent } from '../request/inputs.ts';
import { type ClaimedJob, JobLost, keepFailed, removeJob } from './job-table.ts';

/** What is done: the actions of the job, or those of its `on failure`. */
export interface Task {
  readonly claimed: ClaimedJob;
  readonly job: string;
  /** The error for which the job has failed; null where it is tried. */
  readonly failure: string | null;
}

export type JobEnd =
  | { readonly kind: 'done' }
  /** A record that it was given does not exist any more. */
  | { readonly kind: 'gone' }
  /** Another server has claimed it. */
  | { readonly kind: 'lost' }
  /** It is not tried again if it would fail in the same way. */
  | ({ readonly kind: 'failed'; readonly error: string; readonly isFinal: boolean } & Partial<
      Pick<DeliveryError, 'retryAfter' | 'isGone'>
    >);

export async function tryJob(route: WorkRoute, task: Task, signal: AbortSignal, log: Logger): Promise<JobEnd> {
  const { claimed, job, failure } = task;
  const { id, attempt, depth } = claimed;
  const end = (connection: Parameters<typeof removeJob>[0]) =>
    failure === null ? removeJob(connection, claimed) : keepFailed(connection, claimed, failure);
  const own = route.usesHooks ? log.child({ job, jobId: id }) : log;
  try {
    await route.perform({ id, attempt, depth, signal, log: own, input: JSON.parse(claimed.input) as Sent, end });
    return { kind: 'done' };
  } catch (error) {
    return endFrom(signal.aborted ? signal.reason : error, route.records);
  }
}

/** What is wrong with inputs because of the records that there are. */
const GONE = 'reference-not-found';
const TAKEN = 'already-exists';

/** A record that the actions look for themselves may come yet; one that the job was given does not come back. */
export function endFrom(error: unknown, records: ReadonlySet<string>): JobEnd {
  if (error instanceof JobLost) return { kind: 'lost' };
  if (error instanceof DeliveryError) {
    const { isFinal, retryAfter, isGone } = error;
    return { kind: 'failed', error: errorText(error), isFinal, retryAfter, isGone };
  }
  const invalid = error instanceof ApiError && error.code === 'validation-failed' ? error.errors : null;
  const isGone = invalid?.every(({ code, path }) => code === GONE && records.has(path));
  if (isGone && invalid?.length) return { kind: 'gone' };
  const isFinal =
    error instanceof Refusal || (invalid !== null && !invalid.some(({ code }) => code === GONE || code === TAKEN));
  return { kind: 'failed', error: errorText(error), isFinal };
}

const LONGEST_ERROR = 2000;

/**
 * The messages of an error and of its causes, each once, and the code of a `refuse` without a message. What Postgres says
 * may have values of records in it, and is left out.
 */
export function errorText(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause !== undefined && cause !== null; ) {
    messages.push(...messagesOf(cause));
    cause = cause instanceof Error && !(cause instanceof DatabaseError) ? cause.cause : undefined;
  }
  return [...new Set(messages)].join(': ').replaceAll('\0', '').toWellFormed().slice(0, LONGEST_ERROR);
}

function messagesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [typeof error === 'string' ? error : 'something was thrown that is no error'];
  if (error instanceof DatabaseError) return [error.message + placeOf(error)];
  const errors = error instanceof ApiError ? error.errors : [];
  const isPlain = error instanceof Refusal && error.code !== null && error.message === `${REFUSED.title}.`;
  const code = isPlain ? [error.code] : [];
  return [...code, error.message, ...errors.map(({ path, message }) => `${path} ${message}`.trim())];
}

function placeOf({ constraint, table, column }: DatabaseError): string {
  const names = constraint ? [constraint] : [table, column].filter((name) => name !== null);
  return names.length === 0 ? '' : ` (${names.join('.')})`;
}
