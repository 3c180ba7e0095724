/** The types that every client has: options, results, errors. `` keeps the text as it will stand in the file. */

export const OPTION_TYPES = `/** A value, or a function that is asked for it before each request. */
export type Given<T> = T | (() => T | Promise<T>);

/** What the Headers of fetch can be made from. */
export type GivenHeaders = Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[];

export interface ClientOptions {
  /** Where the API is: "https://example.com", or "https://example.com/shop" behind a proxy. "" is the page's own origin. */
  readonly baseUrl: string | URL;
  /** Goes along as "Authorization: Bearer ..."; nothing does where it is empty, null or undefined. */
  readonly token?: Given<string | null | undefined>;
  /** Go along with each request. */
  readonly headers?: Given<GivenHeaders | undefined>;
  /** Takes the place of the global fetch. */
  readonly fetch?: Fetch | undefined;
  /** How many milliseconds a call may take, retries included. As long as it needs, where this is left out or Infinity. */
  readonly timeout?: number | undefined;
  /** How often a GET or PUT is tried again after it got no answer, 429, 502, 503 or 504. Otherwise 2 times. */
  readonly retries?: number | undefined;
  /** Called once when the server speaks another contract than this client. Otherwise a warning goes to the console. */
  readonly onContractMismatch?: ((mismatch: ContractMismatch) => void) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. */
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  /** They win over those of the client. */
  readonly headers?: GivenHeaders | undefined;
}

export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface ContractMismatch {
  /** The contract that this client was made from. */
  readonly client: string;
  readonly server: string;
}
`;

export const METHOD_TYPES = `/** One endpoint. Called as it is, it gives the data, or throws an ApiError. */
export interface Method<A extends readonly unknown[], D, C extends ProblemCode = never> {
  (...args: A): Promise<D>;
  /** The same, but what went wrong is given, not thrown. */
  readonly result: (...args: A) => Promise<Result<D, C | AnyTimeCode>>;
}

export type Result<D, C extends ErrorCode = ErrorCode> = Success<D> | Failure<C>;

export interface Success<D> {
  readonly ok: true;
  readonly status: number;
  readonly data: D;
  readonly headers: Headers;
}

/** One variant for each code: where the code is known, the status and the problem are known too. */
export type Failure<C extends ErrorCode = ErrorCode> = {
  [K in C]: {
    readonly ok: false;
    readonly code: K;
    readonly status: StatusByCode[K];
    readonly problem: K extends ProblemCode ? Problem<K> : undefined;
    readonly fields: Fields;
    /** Undefined where there was no answer. */
    readonly headers: Headers | undefined;
    /** What the plain method would have thrown. */
    readonly error: ApiError;
  };
}[C];
`;

export const PAGE_TYPES = `/** A list in pages. */
export interface PagedMethod<A extends readonly unknown[], D, C extends ProblemCode = never>
  extends Method<A, Page<D>, C> {
  /** Every record, page after page, each page asked for when it is needed: for await (const each of list.all()). */
  readonly all: (...args: A) => AsyncGenerator<D, void, undefined>;
}

export interface Page<D> {
  page: number;
  pageSize: number;
  totalPages: number;
  totalCount: number;
  data: D[];
}

export interface PageQuery {
  /** From 1. */
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}
`;

export const LOGIN_TYPES = `export interface LoginOptions extends CallOptions {
  /** From now on the token goes along with each request of this client, until logout. It is kept in memory only. */
  readonly keepToken?: boolean | undefined;
}
`;

export const ERROR_TYPES = `/** A refusal, as the API tells it (RFC 9457). */
export interface Problem<C extends ProblemCode = ProblemCode> {
  readonly type: string;
  readonly title: string;
  readonly status: StatusByCode[C];
  /** Of custom code: its own. */
  readonly code: C extends 'refused' ? string : C;
  /** What is wrong with this request. */
  readonly detail?: string;
  /** Names the request in the log of the server. */
  readonly requestId: string;
  /** What is wrong with single inputs. */
  readonly errors?: readonly InputError[];
}

export interface InputError {
  /** The place in the request, with dots: "author.email". */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The errors of single inputs by their paths. */
export type Fields = Readonly<Record<string, readonly InputError[] | undefined>>;

export interface StatusByCode {
  'malformed-request': 400;
  unauthenticated: 401;
  forbidden: 403;
  'not-found': 404;
  'method-not-allowed': 405;
  conflict: 409;
  'too-large': 413;
  'unsupported-media-type': 415;
  'validation-failed': 422;
  'too-many-requests': 429;
  /** Custom code of the API has refused the request. */
  refused: number;
  internal: 500;
  unavailable: 503;
  /** There was no answer, or it broke off. */
  network: 0;
  timeout: 0;
  /** The signal of the caller was fired. */
  aborted: 0;
  /** Something answered that is not this API, such as a proxy with a page of its own. */
  'unexpected-answer': number;
}

export type ErrorCode = keyof StatusByCode;
export type ClientCode = 'network' | 'timeout' | 'aborted' | 'unexpected-answer';
export type ProblemCode = Exclude<ErrorCode, ClientCode>;
/** What any endpoint that takes a body may answer. */
export type BodyCode = 'malformed-request' | 'too-large' | 'unsupported-media-type';
/** What any call may end with. */
export type AnyTimeCode = 'internal' | 'unavailable' | ClientCode;
`;
