/** What a request ended with, for the view Live. */
import { ApiError, HookRefusal } from '../../errors/api-error.ts';
import { errorForLog } from '../../observe/error-for-log.ts';
import type { LiveError } from './live-request.ts';
import { shortened } from './secret-names.ts';

const LONGEST_STACK = 4000;
const MOST_INPUTS = 100;

/** Null where nothing was thrown. */
export function codeOf(error: unknown): string | null {
  if (error === undefined) return null;
  if (error instanceof ApiError) return error.code;
  return error instanceof HookRefusal ? (error.code ?? 'refused') : 'internal';
}

export function liveErrorFrom(error: unknown): LiveError | null {
  if (error === undefined) return null;
  if (error instanceof ApiError || error instanceof HookRefusal) return meant(error);
  return { message: messagesIn(error), inputs: [], stack: stackOf(error) };
}

/** One that the client is told. Its cause is told here too. */
function meant(error: ApiError | HookRefusal): LiveError {
  const inputs = error.errors.slice(0, MOST_INPUTS).map(({ path, code, message }) => ({ path, code, message }));
  const isBroken = error.status >= 500 && error.cause !== undefined;
  return { message: isBroken ? messagesIn(error) : error.message, inputs, stack: isBroken ? stackOf(error) : null };
}

type Logged = ReturnType<typeof errorForLog>;

function causesOf(error: Logged): readonly Logged[] {
  return error.cause === undefined ? [error] : [error, ...causesOf(error.cause)];
}

function messagesIn(error: unknown): string {
  return [...new Set(causesOf(errorForLog(error)).map(({ message }) => message))].join('\n');
}

/** Of the innermost error: there it began. */
function stackOf(error: unknown): string | null {
  const stack = causesOf(errorForLog(error)).findLast((each) => each.stack !== undefined)?.stack;
  return stack === undefined ? null : shortened(stack, LONGEST_STACK);
}
