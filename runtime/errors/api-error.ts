import { PROBLEMS, type ProblemCode } from '../../compiler/definition/contract/problems.ts';

/** One invalid input. `path` is the place in the request, with dots: `author.email`. */
export interface InputError {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface ApiErrorOptions {
  readonly detail?: string;
  readonly errors?: readonly InputError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The time to wait, in seconds. */
  readonly retryAfter?: number;
  /** The cause, for the log only. */
  readonly cause?: unknown;
}

/** An answer other than success. Whatever else is thrown is a 500. */
export class ApiError extends Error {
  readonly code: ProblemCode;
  readonly detail: string | null;
  readonly errors: readonly InputError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, { detail, errors = [], headers = {}, retryAfter, cause }: ApiErrorOptions = {}) {
    super(detail ?? PROBLEMS[code].title, { cause });
    this.name = 'ApiError';
    this.code = code;
    this.detail = detail ?? null;
    this.errors = errors;
    this.headers = retryAfter === undefined ? headers : { ...headers, 'retry-after': String(retryAfter) };
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

interface RefusalParts {
  /** Null for the code that belongs to the status. */
  readonly code: string | null;
  readonly errors: readonly InputError[];
}

/**
 * The answer of a hook that throws `{ status, message, code, errors }`, with a status from 400 to 599, and the answer
 * of a `refuse`.
 */
export class HookRefusal extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly errors: readonly InputError[];

  constructor(status: number, message: string, cause: unknown, { code, errors }: RefusalParts = NO_PARTS) {
    super(message, { cause });
    this.name = 'HookRefusal';
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** The answer of a `refuse`, which is the same however often it is tried. */
export class Refusal extends HookRefusal {}

const NO_PARTS: RefusalParts = { code: null, errors: [] };
