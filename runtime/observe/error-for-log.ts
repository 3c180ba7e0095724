/**
 * An error as the log shows it: kind, message, code, stack and causes. Other properties are left out, because drivers
 * put rows and values there.
 */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly cause?: LoggedError;
  /** Of an `AggregateError`, as when a host has several addresses and none answers. */
  readonly errors?: readonly LoggedError[];
  readonly stack?: string;
}

const DEEPEST = 5;
const MOST_ERRORS = 5;

/** What the code of hooks throws may be an object that cannot be looked at, such as one whose getters throw. */
export function errorForLog(error: unknown, depth = 0): LoggedError {
  try {
    return readError(error, depth);
  } catch {
    return { type: typeof error, message: 'a value that cannot be read was thrown' };
  }
}

function readError(error: unknown, depth: number): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: textOf(error) };
  const { name, message, stack, cause } = error;
  const goesOn = depth < DEEPEST;
  return {
    type: textOf(name),
    message: textOf(message),
    ...codeOf(error),
    ...(goesOn && cause !== undefined ? { cause: errorForLog(cause, depth + 1) } : {}),
    ...(goesOn && error instanceof AggregateError
      ? { errors: error.errors.slice(0, MOST_ERRORS).map((each) => errorForLog(each, depth + 1)) }
      : {}),
    // Last, because it is long: whoever shows only the beginning of a line shows the causes.
    ...(typeof stack === 'string' ? { stack } : {}),
  };
}

function codeOf(error: Error): { readonly code?: string } {
  return 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
}

/** What is thrown and is no error may be any data, so only a text is shown. */
function textOf(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : 'a value that is not an error was thrown';
}
