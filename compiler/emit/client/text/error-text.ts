/** What a client throws. Its `cause` is set by hand, since projects with `lib` es2020 have no types for it. */

export const FACTS_TYPE = `export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly status?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly headers?: Headers | undefined;
  readonly otherContract?: string | undefined;
  readonly cause?: unknown;
}
`;

export const ERROR_CLASS = `export class ApiError extends Error {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly code: ErrorCode;
  readonly problem: Problem | undefined;
  readonly fields: Fields;
  readonly headers: Headers | undefined;
  /** The contract of the server, where it is not that of this client: the cause may lie there. */
  readonly otherContract: string | undefined;

  constructor(message: string, about: ErrorFacts) {
    super(message);
    this.name = 'ApiError';
    Object.defineProperty(this, 'cause', { value: about.cause, configurable: true, writable: true });
    this.status = about.status ?? 0;
    this.code = about.code;
    this.problem = about.problem;
    this.fields = fieldsFrom(about.problem?.errors ?? []);
    this.headers = about.headers;
    this.otherContract = about.otherContract;
  }
}

function fieldsFrom(errors: readonly InputError[]): Fields {
  const fields: Record<string, InputError[]> = Object.create(null);
  for (const error of errors) {
    const others = fields[error.path] ?? [];
    fields[error.path] = [...others, error];
  }
  return fields;
}

function failureFrom(error: unknown): Failure {
  if (!(error instanceof ApiError)) throw error;
  const { code, status, problem, fields, headers } = error;
  return { ok: false, code, status, problem, fields, headers, error } as Failure;
}
`;
