/* eslint-disable */
/**
 * The client of nasty, made by Kiln from its description. It is overwritten when that changes: do not edit it.
 *
 *   const client = createClient({ baseUrl: 'https://example.com' });
 */

export interface Client {
  /** Records of `Method`. */
  readonly apply: ApplyResource;
  /** Records of `Error`. */
  readonly constructor_: ConstructorResource;
  /** Records of `Client`. */
  readonly length: LengthResource;
  /** Records of `Response`. */
  readonly name: NameResource;
  /** Called like what JavaScript gives. */
  readonly then_: ThenResource;
}

/** Records of `Method`. */
export interface ApplyResource {
  (method_code: Decimal): ApplyItem;
  /** List Method records. (`GET /api/apply`) */
  readonly list: Method<[options?: CallOptions], MethodModel[], 'malformed-request'>;
  /** Create Method. (`POST /api/apply`) */
  readonly create: Method<[body: MethodCreate, options?: CallOptions], MethodModel, BodyCode | 'conflict' | 'validation-failed'>;
}

export interface ApplyItem {
  /** Get Method. (`GET /api/apply/{method_code}`) */
  readonly get: Method<[options?: CallOptions], MethodModel, 'malformed-request' | 'not-found'>;
}

/** Records of `Error`. */
export interface ConstructorResource {
  (error_at: Timestamp): ConstructorItem;
  /** List Error records. (`GET /api/constructor`) */
  readonly list: Method<[options?: CallOptions], ErrorModel[], 'malformed-request'>;
  /** Create Error. (`POST /api/constructor`) */
  readonly create: Method<[body: ErrorCreate, options?: CallOptions], ErrorModel, BodyCode | 'conflict' | 'validation-failed'>;
}

export interface ConstructorItem {
  /** Get Error. (`GET /api/constructor/{error_at}`) */
  readonly get: Method<[options?: CallOptions], ErrorModel, 'malformed-request' | 'not-found'>;
  /** Called like what JavaScript gives. */
  readonly prototype_: ConstructorPrototypeResource;
}

/** Called like what JavaScript gives. */
export interface ConstructorPrototypeResource {
  /** Get Promise. (`GET /api/constructor/{error_at}/prototype`) */
  readonly get: Method<[options?: CallOptions], PromiseModel, 'malformed-request' | 'not-found'>;
  /** Create Promise. (`POST /api/constructor/{error_at}/prototype`) */
  readonly create: Method<[body: ConstructorPromiseCreate, options?: CallOptions], PromiseModel, BodyCode | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Change Promise. (`PATCH /api/constructor/{error_at}/prototype`) */
  readonly update: Method<[body?: ConstructorPromiseUpdate, options?: CallOptions], PromiseModel, BodyCode | 'not-found' | 'conflict' | 'validation-failed'>;
}

/** Records of `Client`. */
export interface LengthResource {
  (client_day: DateOnly): LengthItem;
  /** List Client records. (`GET /api/length`) */
  readonly list: Method<[options?: CallOptions], ClientModel[], 'malformed-request'>;
  /** Create Client. (`POST /api/length`) */
  readonly create: Method<[body: ClientCreate, options?: CallOptions], ClientModel, BodyCode | 'conflict' | 'validation-failed'>;
  /** Delete. (`DELETE /api/length`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request'>;
  /** Cursor. (`GET /api/length/cursor`) */
  readonly cursor: PagedMethod<[query?: CursorQuery, options?: CallOptions], ClientModel, 'malformed-request', CursorPage<ClientModel>>;
  /** Estimated. (`GET /api/length/estimated`) */
  readonly estimated: PagedMethod<[query?: PageQuery, options?: CallOptions], ClientModel, 'malformed-request', EstimatedPage<ClientModel>>;
  /** Pages. (`GET /api/length/pages`) */
  readonly pages: PagedMethod<[query?: PageQuery, options?: CallOptions], ClientModel, 'malformed-request'>;
  /** Patch. (`GET /api/length/patch`) */
  readonly patch: Method<[options?: CallOptions], ClientPatchManyGetResult[], 'malformed-request'>;
  /** Uncounted. (`GET /api/length/uncounted`) */
  readonly uncounted: PagedMethod<[query?: PageQuery, options?: CallOptions], ClientModel, 'malformed-request', UncountedPage<ClientModel>>;
}

export interface LengthItem {
  /** Get Client. (`GET /api/length/{client_day}`) */
  readonly get: Method<[options?: CallOptions], ClientModel, 'malformed-request' | 'not-found'>;
  /** Post. (`POST /api/length/{client_day}`) */
  readonly post: Method<[options?: CallOptions], void, 'malformed-request' | 'not-found'>;
  /** Change Client. (`PUT /api/length/{client_day}`) */
  readonly update: Method<[body?: ClientUpdate, options?: CallOptions], ClientModel, BodyCode | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Patch. (`PATCH /api/length/{client_day}`) */
  readonly patch: Method<[options?: CallOptions], void, 'malformed-request' | 'not-found'>;
}

/** Records of `Response`. */
export interface NameResource {
  (response_id: number): NameItem;
  /** List Response records. (`GET /api/name`) */
  readonly list: Method<[options?: CallOptions], ResponseModel[], 'malformed-request'>;
  /** Create Response. (`POST /api/name`) */
  readonly create: Method<[body: ResponseCreate, options?: CallOptions], ResponseModel, BodyCode | 'validation-failed'>;
  /** Records of `Response`. */
  readonly route: NameRouteResource;
}

export interface NameItem {
  /** Get Response. (`GET /api/name/{response_id}`) */
  readonly get: Method<[options?: CallOptions], ResponseModel, 'malformed-request' | 'not-found'>;
}

/** Records of `Response`. */
export interface NameRouteResource {
  /** List Response records. (`GET /api/name/route`) */
  readonly list: Method<[options?: CallOptions], ResponseModel[], 'malformed-request'>;
  /** Route. (`GET /api/name/route/route`) */
  readonly route: Method<[options?: CallOptions], number, 'malformed-request'>;
}

/** Called like what JavaScript gives. */
export interface ThenResource {
  (promise_name: string): ThenItem;
  /** List Promise records. (`GET /api/then`) */
  readonly list: PagedMethod<[query?: ThenListQuery, options?: CallOptions], PromiseModel, 'malformed-request'>;
  /** Create Promise. (`POST /api/then`) */
  readonly create: Method<[body: PromiseCreate, options?: CallOptions], PromiseModel, BodyCode | 'conflict' | 'validation-failed'>;
  /** 中国. (`GET /api/then/%E4%B8%AD%E5%9B%BD`) */
  readonly 中国: Method<[options?: CallOptions], string, 'malformed-request'>;
  /** 日本. (`GET /api/then/%E6%97%A5%E6%9C%AC`) */
  readonly 日本: Method<[options?: CallOptions], string, 'malformed-request'>;
  /** 🙂. (`GET /api/then/%F0%9F%99%82`) */
  readonly _: Method<[options?: CallOptions], string, 'malformed-request'>;
  /** 2024. (`GET /api/then/2024`) */
  readonly _2024: Method<[options?: CallOptions], number, 'malformed-request'>;
  /** A b. (`GET /api/then/a-b`) */
  readonly getAB: Method<[options?: CallOptions], string, 'malformed-request'>;
  /** A b. (`GET /api/then/a_b`) */
  readonly getAB2: Method<[options?: CallOptions], string, 'malformed-request'>;
  /** Apply. (`GET /api/then/apply`) */
  readonly apply: Method<[options?: CallOptions], string, 'malformed-request'>;
  /** Arguments. (`GET /api/then/arguments`) */
  readonly arguments: Method<[options?: CallOptions], string, 'malformed-request'>;
  /** Bind. (`GET /api/then/bind`) */
  readonly bind: Method<[options?: CallOptions], string, 'malformed-request'>;
  /** Length. (`GET /api/then/length`) */
  readonly length: Method<[options?: CallOptions], number, 'malformed-request'>;
  /** List. (`GET /api/then/list`) */
  readonly getList: Method<[options?: CallOptions], number, 'malformed-request'>;
  /** Name. (`GET /api/then/name`) */
  readonly name: Method<[options?: CallOptions], string, 'malformed-request'>;
  /** ToString. (`POST /api/then/toString`) */
  readonly toString_: Method<[options?: CallOptions], string>;
  /** Called like what JavaScript gives. */
  readonly itSQuoted: ThenItSQuotedResource;
}

export interface ThenItem {
  /** Get Promise. (`GET /api/then/{promise_name}`) */
  readonly get: Method<[options?: CallOptions], PromiseModel, 'malformed-request' | 'not-found'>;
  /** Change Promise. (`PATCH /api/then/{promise_name}`) */
  readonly update: Method<[body?: PromiseUpdate, options?: CallOptions], PromiseModel, BodyCode | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Delete Promise. (`DELETE /api/then/{promise_name}`) */
  readonly delete: Method<[query: ThenDeleteQuery, options?: CallOptions], void, 'malformed-request' | 'not-found'>;
  /** Call. (`GET /api/then/{promise_name}/call`) */
  readonly call: Method<[options?: CallOptions], string, 'malformed-request' | 'not-found'>;
  /** Constructor. (`GET /api/then/{promise_name}/constructor`) */
  readonly constructor_: Method<[options?: CallOptions], string, 'malformed-request' | 'not-found'>;
  /** Gone. (`GET /api/then/{promise_name}/gone`) */
  readonly gone: Method<[options?: CallOptions], string, 'malformed-request' | 'not-found'>;
  /** Lines. (`PUT /api/then/{promise_name}/lines`) */
  readonly putLines: Method<[options?: CallOptions], string[], 'malformed-request' | 'not-found'>;
  /** Refuse. (`POST /api/then/{promise_name}/refuse`) */
  readonly refuse: Method<[options?: CallOptions], void, ProblemCode>;
  /** State. (`GET /api/then/{promise_name}/state`) */
  readonly getState: Method<[options?: CallOptions], RecordModel, 'malformed-request' | 'not-found'>;
  /** State. (`PUT /api/then/{promise_name}/state`) */
  readonly putState: Method<[body: PromiseStateOnePut, options?: CallOptions], void, BodyCode | 'not-found' | 'validation-failed'>;
  /** State. (`DELETE /api/then/{promise_name}/state`) */
  readonly deleteState: Method<[options?: CallOptions], void, 'malformed-request' | 'not-found'>;
  /** Teapot. (`GET /api/then/{promise_name}/teapot`) */
  readonly teapot: Method<[options?: CallOptions], string, 'malformed-request' | 'not-found' | 'validation-failed'>;
  /** Then. (`GET /api/then/{promise_name}/then`) */
  readonly then_: Method<[options?: CallOptions], string, 'malformed-request' | 'not-found'>;
  /** Records of `Error`. */
  readonly get_: ThenGetResource;
  /** Records of `Page`. */
  readonly lines: ThenLinesResource;
}

/** Records of `Error`. */
export interface ThenGetResource {
  /** Get Error. (`GET /api/then/{promise_name}/get`) */
  readonly get: Method<[options?: CallOptions], ErrorModel, 'malformed-request' | 'not-found'>;
  /** Create Error. (`POST /api/then/{promise_name}/get`) */
  readonly create: Method<[body: ThenErrorCreate, options?: CallOptions], ErrorModel, BodyCode | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Delete Error. (`DELETE /api/then/{promise_name}/get`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'not-found'>;
  /** Get. (`GET /api/then/{promise_name}/get/get`) */
  readonly getGet: Method<[options?: CallOptions], Status, 'malformed-request' | 'not-found'>;
}

/** Records of `Page`. */
export interface ThenLinesResource {
  (page_number: number): ThenLinesItem;
  /** List Page records. (`GET /api/then/{promise_name}/lines`) */
  readonly list: Method<[options?: CallOptions], PageModel[], 'malformed-request' | 'not-found'>;
  /** Create Page. (`POST /api/then/{promise_name}/lines`) */
  readonly create: Method<[body: PageCreate, options?: CallOptions], PageModel, BodyCode | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface ThenLinesItem {
  /** Get Page. (`GET /api/then/{promise_name}/lines/{page_number}`) */
  readonly get: Method<[options?: CallOptions], PageModel, 'malformed-request' | 'not-found'>;
}

/** Called like what JavaScript gives. */
export interface ThenItSQuotedResource {
  /** And ${odd}. (`GET /api/then/it's%20%22quoted%22%20/%20and%20%24%7Bodd%7D`) */
  readonly andOdd: Method<[options?: CallOptions], string, 'malformed-request'>;
}

// ── What is sent and answered ────────────────────────────────────────────────────────────────────────────────────────

export interface ClientModel {
  id: number;
  day: DateOnly;
}

export interface ClientCreate {
  /** No other record may have the same value. */
  readonly day: DateOnly;
}

export interface ClientPatchManyGetResult {
  day: DateOnly;
}

export interface ClientUpdate {
  /** No other record may have the same value. */
  readonly day?: DateOnly | undefined;
}

export interface ConstructorPromiseCreate {
  /** No other record may have the same value. */
  readonly name: string;
  readonly constructor?: string | Object['constructor'] | undefined;
  readonly then?: string | null | undefined;
  readonly prototype?: RecordModel | undefined;
  readonly size?: "it's" | '"S"' | 'back\\slash' | '`${x}`' | null | undefined;
  readonly level?: 1 | 2 | 3 | null | undefined;
  readonly agreed?: true | null | undefined;
  readonly price?: Decimal | undefined;
  readonly due?: DateOnly | null | undefined;
  readonly token?: Uuid | null | undefined;
  readonly extra: NonNullable<unknown>;
  readonly more?: unknown;
  /** The `id` of an existing `Error`. */
  readonly owner_id?: Uuid | null | undefined;
}

export interface ConstructorPromiseUpdate {
  /** No other record may have the same value. */
  readonly name?: string | undefined;
  readonly constructor?: string | Object['constructor'] | undefined;
  readonly then?: string | null | undefined;
  readonly prototype?: RecordModel | undefined;
  readonly size?: "it's" | '"S"' | 'back\\slash' | '`${x}`' | null | undefined;
  readonly level?: 1 | 2 | 3 | null | undefined;
  readonly agreed?: true | null | undefined;
  readonly price?: Decimal | undefined;
  readonly due?: DateOnly | null | undefined;
  readonly token?: Uuid | null | undefined;
  readonly extra?: NonNullable<unknown> | undefined;
  readonly more?: unknown;
  /** The `id` of an existing `Error`. */
  readonly owner_id?: Uuid | null | undefined;
}

export interface ErrorModel {
  id: Uuid;
  status: Status;
  at: Timestamp;
}

export interface ErrorCreate {
  /** No other record may have the same value. */
  readonly status: Status;
  /** No other record may have the same value. */
  readonly at: Timestamp;
}

export interface MethodModel {
  id: number;
  code: Decimal;
}

export interface MethodCreate {
  /** No other record may have the same value. */
  readonly code: Decimal;
}

export interface PageModel {
  id: number;
  promise_id: number;
  number: number;
  ok: boolean;
}

export interface PageCreate {
  readonly number: number;
  readonly ok?: boolean | undefined;
}

/** Called like what JavaScript gives. */
export interface PromiseModel {
  id: number;
  name: string;
  constructor: string;
  then: string | null;
  prototype: RecordModel;
  size: string | null;
  level: number | null;
  agreed: boolean | null;
  price: Decimal;
  due: DateOnly | null;
  token: Uuid | null;
  extra: unknown;
  more: unknown;
  owner_id: Uuid | null;
  first_id: Uuid | null;
}

export interface PromiseCreate {
  /** No other record may have the same value. */
  readonly name: string;
  readonly constructor?: string | Object['constructor'] | undefined;
  readonly then?: string | null | undefined;
  readonly prototype?: RecordModel | undefined;
  readonly size?: "it's" | '"S"' | 'back\\slash' | '`${x}`' | null | undefined;
  readonly level?: 1 | 2 | 3 | null | undefined;
  readonly agreed?: true | null | undefined;
  readonly price?: Decimal | undefined;
  readonly due?: DateOnly | null | undefined;
  readonly token?: Uuid | null | undefined;
  readonly extra: NonNullable<unknown>;
  readonly more?: unknown;
  /** The `id` of an existing `Error`. */
  readonly owner_id?: Uuid | null | undefined;
  /** The `id` of an existing `Error`. */
  readonly first_id?: Uuid | null | undefined;
}

export interface PromiseStateOnePut {
  readonly state: RecordModel;
}

export interface PromiseUpdate {
  /** No other record may have the same value. */
  readonly name?: string | undefined;
  readonly constructor?: string | Object['constructor'] | undefined;
  readonly then?: string | null | undefined;
  readonly prototype?: RecordModel | undefined;
  readonly size?: "it's" | '"S"' | 'back\\slash' | '`${x}`' | null | undefined;
  readonly level?: 1 | 2 | 3 | null | undefined;
  readonly agreed?: true | null | undefined;
  readonly price?: Decimal | undefined;
  readonly due?: DateOnly | null | undefined;
  readonly token?: Uuid | null | undefined;
  readonly extra?: NonNullable<unknown> | undefined;
  readonly more?: unknown;
  /** The `id` of an existing `Error`. */
  readonly owner_id?: Uuid | null | undefined;
  /** The `id` of an existing `Error`. */
  readonly first_id?: Uuid | null | undefined;
}

/** - `class`: A value with *\/ in its words. */
export type RecordModel = 'class' | 'new';

export interface ResponseModel {
  id: number;
  body: string;
}

export interface ResponseCreate {
  readonly body: string;
}

/**
 * Ends a comment: *\/ export const evil = 1; /* and goes on.
 *
 * A second paragraph with `ticks`, ${dollars} and "quotes".
 */
export type Status = 'open' | 'closed' | 'string';

export interface ThenErrorCreate {
  /** No other record may have the same value. */
  readonly status: Status;
  /** No other record may have the same value. */
  readonly at: Timestamp;
}

export interface ThenListQuery extends PageQuery {
  /** The keys to sort by, before the default order of the list. A `-` before a key sorts in descending order. */
  readonly sort?: readonly ('level' | '-level' | 'owner.at' | '-owner.at')[] | undefined;
  /** Only records with this `name`. Repeat it to match any of several values. */
  readonly name?: string | readonly string[] | {
    /** Greater than this. */
    readonly gt?: string | undefined;
    /** This or greater. */
    readonly gte?: string | undefined;
    /** Less than this. */
    readonly lt?: string | undefined;
    /** This or less. */
    readonly lte?: string | undefined;
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: string | readonly string[] | undefined;
    /** Contains this text. Case is ignored. */
    readonly contains?: string | undefined;
    /** Starts with this text. Case is ignored. */
    readonly prefix?: string | undefined;
  } | undefined;
  /** Only records with this `level`. Repeat it to match any of several values. */
  readonly level?: number | readonly number[] | {
    /** Greater than this. */
    readonly gt?: number | undefined;
    /** This or greater. */
    readonly gte?: number | undefined;
    /** Less than this. */
    readonly lt?: number | undefined;
    /** This or less. */
    readonly lte?: number | undefined;
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: number | readonly number[] | undefined;
    /** Whether the value is null. */
    readonly null?: boolean | undefined;
  } | undefined;
  /** Only records with this `price`. Repeat it to match any of several values. */
  readonly price?: Decimal | readonly Decimal[] | {
    /** Greater than this. */
    readonly gt?: Decimal | undefined;
    /** This or greater. */
    readonly gte?: Decimal | undefined;
    /** Less than this. */
    readonly lt?: Decimal | undefined;
    /** This or less. */
    readonly lte?: Decimal | undefined;
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: Decimal | readonly Decimal[] | undefined;
  } | undefined;
  /** Only records with this `due`. Repeat it to match any of several values. */
  readonly due?: DateOnly | readonly DateOnly[] | {
    /** Greater than this. */
    readonly gt?: DateOnly | undefined;
    /** This or greater. */
    readonly gte?: DateOnly | undefined;
    /** Less than this. */
    readonly lt?: DateOnly | undefined;
    /** This or less. */
    readonly lte?: DateOnly | undefined;
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: DateOnly | readonly DateOnly[] | undefined;
    /** Whether the value is null. */
    readonly null?: boolean | undefined;
  } | undefined;
  /** Only records with this `prototype`. Repeat it to match any of several values. */
  readonly prototype?: RecordModel | readonly RecordModel[] | {
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: RecordModel | readonly RecordModel[] | undefined;
  } | undefined;
  /** Only records with this `owner.status`. Repeat it to match any of several values. */
  readonly 'owner.status'?: Status | readonly Status[] | {
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: Status | readonly Status[] | undefined;
    /** Whether the value is null. */
    readonly null?: boolean | undefined;
  } | undefined;
  readonly constructor?: string | Object['constructor'] | undefined;
  readonly then?: Status | undefined;
  readonly since?: Timestamp | undefined;
}

export interface ThenDeleteQuery {
  readonly reason: string;
}

/** A day, such as "2026-01-31". */
export type DateOnly = string;

/** An exact number as a string, such as "12.50", so that no digit is lost. */
export type Decimal = string;

/** A point in time, such as "2026-01-31T12:00:00Z". */
export type Timestamp = string;

/** Such as "0190a5d2-7c2e-7b3a-9f10-5b8f0c1d2e3f". */
export type Uuid = string;

// ── Options, results, errors ─────────────────────────────────────────────────────────────────────────────────────────

/** A value, or a function that is called for it before each request. */
export type Given<T> = T | (() => T | Promise<T>);

/** Anything that the Headers of fetch accept. */
export type GivenHeaders = Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[];

export interface ClientOptions {
  /** Where the API is: "https://example.com", or "https://example.com/shop" behind a proxy. "" is the page's own origin. */
  readonly baseUrl: string | URL;
  /** Sent as "Authorization: Bearer ...". Nothing is sent if it is empty, null or undefined. */
  readonly token?: Given<string | null | undefined>;
  /** Sent with each request. */
  readonly headers?: Given<GivenHeaders | undefined>;
  /** Used instead of the global fetch. */
  readonly fetch?: Fetch | undefined;
  /** The longest time of a call in milliseconds, including retries. No limit if left out or Infinity. */
  readonly timeout?: number | undefined;
  /** How often a GET or PUT is retried after no response, 429, 502, 503 or 504. The default is 2. */
  readonly retries?: number | undefined;
  /** Called once if the server has another API than this client was made for. The default prints a warning. */
  readonly onContractMismatch?: ((mismatch: ContractMismatch) => void) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. */
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  /** They override those of the client. */
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
  /** The contract that this client was generated from. */
  readonly client: string;
  readonly server: string;
}

/** One endpoint. A call returns the data or throws an ApiError. */
export interface Method<A extends readonly unknown[], D, C extends ErrorCode = never> {
  (...args: A): Promise<D>;
  /** The same, but returns errors instead of throwing them. */
  readonly result: (...args: A) => Promise<Result<D, C | AnyTimeCode>>;
}

export type Result<D, C extends ErrorCode = ErrorCode> = Success<D> | Failure<C>;

export interface Success<D> {
  readonly ok: true;
  readonly status: number;
  readonly data: D;
  readonly headers: Headers;
}

/** One variant for each code, which tells the status and the problem. */
export type Failure<C extends ErrorCode = ErrorCode> = {
  [K in C]: {
    readonly ok: false;
    readonly code: K;
    readonly status: StatusByCode[K];
    readonly problem: K extends ProblemCode ? Problem<K> : undefined;
    readonly fields: Fields;
    /** Undefined if there was no response. */
    readonly headers: Headers | undefined;
    /** What the plain method would have thrown. */
    readonly error: ApiError;
  };
}[C];

/** A list in pages. */
export interface PagedMethod<A extends readonly unknown[], D, C extends ProblemCode = never, P = Page<D>>
  extends Method<A, P, C> {
  /** Every record, page after page. Each page is fetched when it is needed: for await (const each of list.all()). */
  readonly all: (...args: A) => AsyncGenerator<D, void, undefined>;
}

/** Of a list that does not count its records. */
export interface UncountedPage<D> {
  page: number;
  pageSize: number;
  data: D[];
}

export interface Page<D> extends UncountedPage<D> {
  totalPages: number;
  totalCount: number;
}

/** Of a list that estimates how many records there are. */
export interface EstimatedPage<D> extends Page<D> {
  /** Whether the totals are estimates. They are exact if the page shows that it is the last one. */
  totalIsEstimated: boolean;
}

/** Of a list whose pages have no numbers. */
export interface CursorPage<D> {
  pageSize: number;
  /** The value for `after`; null on the last page. */
  next: string | null;
  data: D[];
}

export interface CursorQuery {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly pageSize?: number | undefined;
}

export interface PageQuery {
  /** From 1. */
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}

/** An error of the API (RFC 9457). */
export interface Problem<C extends ProblemCode = ProblemCode> {
  readonly type: string;
  readonly title: string;
  readonly status: StatusByCode[C];
  /** Of custom code: its own. */
  readonly code: C extends 'refused' ? string : C;
  /** The mistake in this request. */
  readonly detail?: string;
  /** Names the request in the server's log. */
  readonly requestId: string;
  /** The errors of single inputs. */
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

export interface StatusByCode extends Statuses {
  /** Custom code of the API rejected the request. */
  refused: number;
  /** There was no response, or it was incomplete. */
  network: 0;
  timeout: 0;
  /** The caller aborted the call. */
  aborted: 0;
  /** The response is of a proxy, not of this API. */
  'unexpected-answer': number;
}

export type ErrorCode = keyof StatusByCode;
export type ClientCode = 'network' | 'timeout' | 'aborted' | 'unexpected-answer';
export type ProblemCode = Exclude<ErrorCode, ClientCode>;
/** The errors of any endpoint that takes a body. */
export type BodyCode = 'malformed-request' | 'too-large' | 'unsupported-media-type';
/** The errors of any call. */
export type AnyTimeCode = 'internal' | 'unavailable' | ClientCode;

export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly status?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly headers?: Headers | undefined;
  readonly otherContract?: string | undefined;
  readonly cause?: unknown;
}

export interface Statuses {
  'malformed-request': 400;
  unauthenticated: 401;
  forbidden: 403;
  'not-found': 404;
  'method-not-allowed': 405;
  conflict: 409;
  'changed-meanwhile': 412;
  'too-large': 413;
  'unsupported-media-type': 415;
  'validation-failed': 422;
  'too-many-requests': 429;
  internal: 500;
  unavailable: 503;
  'took-too-long': 504;
}

// ── Code ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The server sends its contract with each response: the client notices a difference. */
const CONTRACT = '01a5f9a427742e86';

const CODES = /^(malformed-request|unauthenticated|forbidden|not-found|method-not-allowed|conflict|changed-meanwhile|too-large|unsupported-media-type|validation-failed|too-many-requests|internal|unavailable|took-too-long)$/;

const ROUTES: Routes = {
  apply: {
    list: { route: 'GET /api/apply' },
    create: { route: 'POST /api/apply', takes: 'body' },
    '()': {
      get: { route: 'GET /api/apply/{method_code}' },
    },
  },
  constructor_: {
    list: { route: 'GET /api/constructor' },
    create: { route: 'POST /api/constructor', takes: 'body' },
    '()': {
      get: { route: 'GET /api/constructor/{error_at}' },
      prototype_: {
        get: { route: 'GET /api/constructor/{error_at}/prototype' },
        create: { route: 'POST /api/constructor/{error_at}/prototype', takes: 'body' },
        update: { route: 'PATCH /api/constructor/{error_at}/prototype', takes: 'body' },
      },
    },
  },
  length: {
    list: { route: 'GET /api/length' },
    create: { route: 'POST /api/length', takes: 'body' },
    delete: { route: 'DELETE /api/length', gives: 'nothing' },
    cursor: { route: 'GET /api/length/cursor', takes: 'query', gives: 'page' },
    estimated: { route: 'GET /api/length/estimated', takes: 'query', gives: 'page' },
    pages: { route: 'GET /api/length/pages', takes: 'query', gives: 'page' },
    patch: { route: 'GET /api/length/patch' },
    uncounted: { route: 'GET /api/length/uncounted', takes: 'query', gives: 'page' },
    '()': {
      get: { route: 'GET /api/length/{client_day}' },
      post: { route: 'POST /api/length/{client_day}', gives: 'nothing' },
      update: { route: 'PUT /api/length/{client_day}', takes: 'body' },
      patch: { route: 'PATCH /api/length/{client_day}', gives: 'nothing' },
    },
  },
  name: {
    list: { route: 'GET /api/name' },
    create: { route: 'POST /api/name', takes: 'body' },
    '()': {
      get: { route: 'GET /api/name/{response_id}' },
    },
    route: {
      list: { route: 'GET /api/name/route' },
      route: { route: 'GET /api/name/route/route' },
    },
  },
  then_: {
    list: { route: 'GET /api/then', takes: 'query', filters: ['name', 'level', 'price', 'due', 'prototype', 'owner.status'], joined: ['sort'], gives: 'page' },
    create: { route: 'POST /api/then', takes: 'body' },
    中国: { route: 'GET /api/then/%E4%B8%AD%E5%9B%BD' },
    日本: { route: 'GET /api/then/%E6%97%A5%E6%9C%AC' },
    _: { route: 'GET /api/then/%F0%9F%99%82' },
    _2024: { route: 'GET /api/then/2024' },
    getAB: { route: 'GET /api/then/a-b' },
    getAB2: { route: 'GET /api/then/a_b' },
    apply: { route: 'GET /api/then/apply' },
    arguments: { route: 'GET /api/then/arguments' },
    bind: { route: 'GET /api/then/bind' },
    length: { route: 'GET /api/then/length' },
    getList: { route: 'GET /api/then/list' },
    name: { route: 'GET /api/then/name' },
    toString_: { route: 'POST /api/then/toString' },
    '()': {
      get: { route: 'GET /api/then/{promise_name}' },
      update: { route: 'PATCH /api/then/{promise_name}', takes: 'body' },
      delete: { route: 'DELETE /api/then/{promise_name}', takes: 'query', gives: 'nothing' },
      call: { route: 'GET /api/then/{promise_name}/call' },
      constructor_: { route: 'GET /api/then/{promise_name}/constructor' },
      gone: { route: 'GET /api/then/{promise_name}/gone', status: 404 },
      putLines: { route: 'PUT /api/then/{promise_name}/lines' },
      refuse: { route: 'POST /api/then/{promise_name}/refuse', gives: 'nothing' },
      getState: { route: 'GET /api/then/{promise_name}/state' },
      putState: { route: 'PUT /api/then/{promise_name}/state', takes: 'body', gives: 'nothing' },
      deleteState: { route: 'DELETE /api/then/{promise_name}/state', gives: 'nothing' },
      teapot: { route: 'GET /api/then/{promise_name}/teapot', status: 'any' },
      then_: { route: 'GET /api/then/{promise_name}/then' },
      get_: {
        get: { route: 'GET /api/then/{promise_name}/get' },
        create: { route: 'POST /api/then/{promise_name}/get', takes: 'body' },
        delete: { route: 'DELETE /api/then/{promise_name}/get', gives: 'nothing' },
        getGet: { route: 'GET /api/then/{promise_name}/get/get' },
      },
      lines: {
        list: { route: 'GET /api/then/{promise_name}/lines' },
        create: { route: 'POST /api/then/{promise_name}/lines', takes: 'body' },
        '()': {
          get: { route: 'GET /api/then/{promise_name}/lines/{page_number}' },
        },
      },
    },
    itSQuoted: {
      andOdd: { route: "GET /api/then/it's%20%22quoted%22%20/%20and%20%24%7Bodd%7D" },
    },
  },
};

interface Route {
  /** The method and the path. */
  readonly route: string;
  /** Where the input goes. */
  readonly takes?: 'query' | 'body';
  /** The parameters of the query that may be lists, or objects of operators. */
  readonly filters?: readonly string[];
  /** The lists of the query that have commas between their items. */
  readonly joined?: readonly string[];
  /** JSON where nothing is said. */
  readonly gives?: 'page' | 'nothing' | 'response';
  /** What a page calls its members; what it leaves out has no name. */
  readonly members?: Readonly<Record<string, string>>;
  /** What is sent in place of `page`, `pageSize` and `after`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** A status other than 2xx that the endpoint answers with by itself. */
  readonly status?: number | 'any';
  readonly token?: 'given' | 'ended';
}

interface Routes {
  readonly [name: string]: Route | Routes;
}

type PathValue = string | number | boolean;

export function createClient(options: ClientOptions): Client {
  return withMembers({}, ROUTES, [], new Connection(options)) as Client;
}

/** Own properties: names of the API win over those of functions. Tests can replace them. */
function withMembers(target: object, routes: Routes, values: readonly PathValue[], connection: Connection): object {
  for (const [name, entry] of Object.entries(routes)) {
    if (name === '()') continue;
    const value = isRoute(entry) ? methodFrom(entry, values, connection) : groupFrom(entry, values, connection);
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return target;
}

function isRoute(entry: Route | Routes): entry is Route {
  return typeof entry['route'] === 'string';
}

function groupFrom(routes: Routes, values: readonly PathValue[], connection: Connection): object {
  const one = routes['()'] as Routes | undefined;
  if (one === undefined) return withMembers({}, routes, values, connection);
  const find = (value: PathValue) => withMembers({}, one, [...values, value], connection);
  return withMembers(find, routes, values, connection);
}

function methodFrom(route: Route, values: readonly PathValue[], connection: Connection): object {
  const perform = async (args: readonly unknown[]): Promise<Success<unknown>> => {
    const [input, options] = route.takes === undefined ? [undefined, args[0]] : args;
    return connection.call(route, pathFrom(route, values, input), input, (options ?? {}) as CallOptions);
  };
  const method = async (...args: readonly unknown[]): Promise<unknown> => (await perform(args)).data;
  const result = (...args: readonly unknown[]) => perform(args).catch(failureFrom);
  return Object.assign(method, { result }, route.gives === 'page' ? { all: everyRecordOf(method, route) } : {});
}

type AnyList = (query: object, options: unknown) => Promise<unknown>;

function everyRecordOf(list: AnyList, { members, parameters }: Route): object {
  const sent = (name: string) => parameters?.[name] ?? name;
  return async function* all(query: object = {}, options?: unknown): AsyncGenerator<unknown, void, undefined> {
    let asked: Readonly<Record<string, unknown>> | undefined = { ...query };
    while (asked !== undefined) {
      const found = (await list(asked, options)) as Readonly<Record<string, unknown>>;
      const part = (name: string) => found[members === undefined ? name : (members[name] ?? '')];
      yield* part('data') as readonly unknown[];
      const name: string = sent(part('next') === undefined ? 'page' : 'after');
      const following: unknown = part('next') === undefined ? nextNumber(Number(asked[name] ?? 1), part) : part('next');
      asked = following === null ? undefined : { ...asked, [name]: following };
    }
  };
}

/** Null behind the last page. Where nothing is counted, that is one that is not full. */
function nextNumber(page: number, part: (name: string) => unknown): number | null {
  const { length } = part('data') as readonly unknown[];
  const [totalPages, pageSize] = [part('totalPages'), part('pageSize')];
  const isLast = totalPages === undefined ? length < Number(pageSize ?? 1) : page >= Number(totalPages) || length === 0;
  return isLast ? null : page + 1;
}

export class ApiError extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: ErrorCode;
  readonly problem: Problem | undefined;
  readonly fields: Fields;
  readonly headers: Headers | undefined;
  /** The server's contract, if it is another one, which may be the cause. */
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

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────────────────────────

class Connection {
  readonly #options: ClientOptions;
  readonly #base: string;
  #hasWarned = false;
  /** Of the newest write; `f…` is unknown. */
  #position = '';

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = baseFrom(options.baseUrl);
  }

  async call(route: Route, path: string, input: unknown, options: CallOptions): Promise<Success<unknown>> {
    const [method = ''] = route.route.split(' ');
    const body = route.takes === 'body' && input !== undefined ? JSON.stringify(input) : undefined;
    const giveUp = new GivingUp(options.signal, options.timeout ?? this.#options.timeout);
    const retries = options.retries ?? this.#options.retries ?? 2;
    let isStillRead = false;
    try {
      for (let tries = 0; ; tries++) {
        const attempt = await this.#attempt({ route, method, path, body, giveUp }, options);
        if (attempt instanceof ApiError) {
          const wait = tries < retries ? waitBeforeRetry(method, attempt, tries) : undefined;
          if (wait === undefined) throw attempt;
          await giveUp.sleep(wait);
          continue;
        }
        isStillRead = route.gives === 'response';
        return attempt;
      }
    } finally {
      giveUp.close(isStillRead);
    }
  }

  /** Errors of the caller's own code are thrown as they are. */
  async #attempt(request: Sending, options: CallOptions): Promise<Success<unknown> | ApiError> {
    const { method, path, body, giveUp } = request;
    const send = this.#options.fetch ?? globalFetch(this.#base);
    const headers = await giveUp.unlessStopped(() => this.#headers(body !== undefined, options));
    if (headers === undefined) return failed(request, undefined, undefined);
    const init = { method, headers, signal: giveUp.signal, ...(body === undefined ? {} : { body }) };
    let response: Response;
    try {
      response = await send(this.#base + path, init);
    } catch (cause) {
      return failed(request, cause, undefined);
    }
    const position = response.headers.get('kiln-position');
    if (position && (position > this.#position || this.#position > 'f')) this.#position = position;
    return read(request, response, this.#otherContract(response.headers));
  }

  async #headers(hasBody: boolean, options: CallOptions): Promise<Headers> {
    const headers = new Headers({ accept: 'application/json' });
    if (hasBody) headers.set('content-type', 'application/json');
    if (this.#position) headers.set('kiln-position', this.#position);
    const token = await valueOf(this.#options.token);
    if (token) setToken(headers, token);
    for (const given of [await valueOf(this.#options.headers), options.headers])
      new Headers(given as Readonly<Record<string, string>>).forEach((value, name) => headers.set(name, value));
    return headers;
  }

  #otherContract(headers: Headers): string | undefined {
    const server = headers.get('kiln-contract');
    if (server === null || server === CONTRACT) return undefined;
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      (this.#options.onContractMismatch ?? warn)({ client: CONTRACT, server });
    }
    return server;
  }
}

/** A server with a client for each request would fill its log otherwise. */
let warnedOf: string | undefined;

function warn({ client, server }: ContractMismatch): void {
  if (server === warnedOf) return;
  warnedOf = server;
  console.warn(
    `The API of the server has changed (contract ${server}) since this client was generated (${client}). Calls may ` +
      'fail. Run "kiln compile" on the sources of the server to update the client, or update the server.',
  );
}

interface Sending {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly giveUp: GivingUp;
}

/** The error of Headers would show the token. */
function setToken(headers: Headers, token: string): void {
  try {
    headers.set('authorization', `Bearer ${token}`);
  } catch {
    throw new TypeError('The token has a character that is invalid in a header, such as a line break.');
  }
}

/** At each call: it may come later than the client. */
function globalFetch(base: string): Fetch {
  if (typeof globalThis.fetch !== 'function')
    throw new TypeError('This environment has no fetch. Pass one: createClient({ baseUrl, fetch }).');
  const isRelative = base === '' || base.startsWith('/');
  if (isRelative && !('location' in globalThis))
    throw new TypeError(`baseUrl is "${base}", which works only in a browser. Use a full URL: "https://example.com".`);
  return (url, init) => globalThis.fetch(url, init);
}

function valueOf<T>(given: Given<T> | undefined): T | undefined | Promise<T> {
  return typeof given === 'function' ? (given as () => T | Promise<T>)() : given;
}

// ── Addresses ───────────────────────────────────────────────────────────────────────────────────────────────────────

function baseFrom(baseUrl: string | URL): string {
  const base = String(baseUrl);
  if (/[?#]/.test(base)) throw new TypeError('baseUrl must not have a query or a fragment: ' + base);
  if (!/^([a-z][a-z0-9+.-]*:\/\/|\/|$)/i.test(base))
    throw new TypeError('baseUrl must begin with "https://" or "/", or be "" for the origin of the page: ' + base);
  return base.replace(/\/+$/, '');
}

function pathFrom(route: Route, values: readonly PathValue[], input: unknown): string {
  let next = 0;
  const filled = (_: string, name: string) => segmentFrom(name, values[next++]);
  const path = route.route.replace(/^.* /, '').replace(/\{([^}]+)\}/g, filled);
  const query = route.filters || route.joined ? filtersApart(input, route) : input;
  return route.takes === 'query' ? path + queryFrom(query) : path;
}

/** Segments that are empty, "." or ".." name another path, even encoded. */
function segmentFrom(name: string, value: PathValue | null | undefined): string {
  const text = String(value ?? '');
  if (text === '' || text === '.' || text === '..')
    throw new TypeError('"' + text + '" cannot be part of a path, so no record can have this ' + name);
  return encodeURIComponent(text);
}

/** What is undefined or null is left out. */
function queryFrom(input: unknown): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((input ?? {}) as Readonly<Record<string, unknown>>)) {
    // Nothing of such a list would be sent.
    if (Array.isArray(value) && value.every((each) => each == null) && !name.endsWith('[ne]'))
      throw new TypeError(
        'An empty list cannot be sent in the query, and without ' + name + ' the API might return every record',
      );
    for (const each of [value].flat()) if (each != null) query.append(name, String(each));
  }
  const text = query.toString();
  return text === '' ? '' : '?' + text;
}

/** `price: { gte: 10, ne: [11, 12] }` becomes `price[gte]` and `price[ne]`, which is there twice. */
function filtersApart(input: unknown, { filters = [], joined = [] }: Route): object {
  const sent: Record<string, unknown> = { ...(input as object | undefined) };
  for (const name of joined) if (Array.isArray(sent[name])) sent[name] = sent[name].join(',');
  for (const name of filters) {
    const value = sent[name];
    if (typeof value !== 'object' || value === null) continue;
    delete sent[name];
    const parts = Array.isArray(value) ? [['', value]] : Object.entries(value).map(([key, part]) => [`[${key}]`, part]);
    for (const [operator, part] of parts) sent[name + operator] = part;
  }
  return sent;
}

// ── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function read(
  request: Sending,
  response: Response,
  otherContract: string | undefined,
): Promise<Success<unknown> | ApiError> {
  const { status, headers } = response;
  const { gives, status: own } = request.route;
  const type = headers.get('content-type') ?? '';
  const isProblem = status >= 400 && type.includes('application/problem+json');
  const isOwn = response.ok || status === own || (own === 'any' && type.includes('json'));
  if (!isProblem && isOwn && gives === 'response') return { ok: true, status, data: response, headers };
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    return failed(request, cause, otherContract);
  }
  if (!isProblem && isOwn && gives === 'nothing') return { ok: true, status, data: undefined, headers };
  const json = jsonFrom(text);
  if (isProblem && isProblemDocument(json)) return refused(request, response, json, otherContract);
  if (!isProblem && isOwn && json !== undefined) return { ok: true, status, data: json, headers };
  return unexpected(request, response, text, otherContract);
}

/** No JSON is undefined. */
function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblemDocument(json: unknown): json is Problem {
  return typeof json === 'object' && json !== null && 'code' in json && typeof json.code === 'string';
}

function refused(
  { method, path }: Sending,
  { status, headers }: Response,
  problem: Problem,
  otherContract: string | undefined,
): ApiError {
  const { errors, detail, title } = problem;
  const why = errors?.map((error) => `${error.path} ${error.message}`).join(', ') || detail || title;
  const message = `${method} ${path} failed with ${status} ${problem.code}: ${why}${contractHint(otherContract)}`;
  return new ApiError(message, { code: codeOf(problem), status, problem, headers, otherContract });
}

/** Custom code has codes of its own: they are in the problem. */
function codeOf({ code }: Problem): ProblemCode {
  return CODES.test(code) ? (code as ProblemCode) : 'refused';
}

function unexpected(
  { method, path }: Sending,
  { status, headers }: Response,
  text: string,
  otherContract: string | undefined,
): ApiError {
  const type = headers.get('content-type') ?? 'no content type';
  const start = text.length > 80 ? `${text.slice(0, 80)}...` : text;
  const message =
    `${method} ${path} got ${status} (${type}), which is not a response of this API. Is baseUrl right? Is there ` +
    `a proxy that responds itself? It begins: ${start}${contractHint(otherContract)}`;
  return new ApiError(message, { code: 'unexpected-answer', status, headers, otherContract });
}

function failed({ method, path, giveUp }: Sending, cause: unknown, otherContract: string | undefined): ApiError {
  const code = giveUp.code ?? 'network';
  const ends = { network: 'got no complete response', timeout: 'took too long', aborted: 'was aborted' };
  const why = code === 'network' ? `: ${reasonOf(cause)}` : '';
  const inner = code === 'aborted' ? giveUp.signal.reason : cause;
  return new ApiError(`${method} ${path} ${ends[code]}${why}`, { code, otherContract, cause: inner });
}

/** Node tells the reason in the cause of the error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

function contractHint(otherContract: string | undefined): string {
  return otherContract === undefined
    ? ''
    : ` (The API of the server differs from the one that this client was generated for: ${otherContract}.)`;
}

// ── Time ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** POST and PATCH may have been done before the answer was lost; a second DELETE would find nothing. */
const REPEATABLE: readonly string[] = ['GET', 'PUT'];
const PASSING: readonly number[] = [429, 502, 503, 504];
const LONGEST_WAIT = 30_000;
/** A timer for longer would fire at once. */
const LONGEST_TIMER = 2_147_483_647;

/** In milliseconds; undefined where the call is not tried again. */
function waitBeforeRetry(method: string, { code, status, headers }: ApiError, tries: number): number | undefined {
  if (!REPEATABLE.includes(method) || !(code === 'network' || PASSING.includes(status))) return undefined;
  const wait = retryAfter(headers?.get('retry-after') ?? null);
  if (wait === undefined) return Math.min(200 * 2 ** tries, 5_000) * (0.5 + Math.random() / 2);
  return wait <= LONGEST_WAIT ? wait : undefined;
}

/** Seconds, or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}

/** Ends a call early: by the signal of the caller, or when its time is over. */
class GivingUp {
  code: 'timeout' | 'aborted' | undefined;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = () => this.#stop('aborted', this.#caller?.reason);

  constructor(caller: AbortSignal | undefined, timeout: number | undefined) {
    this.#caller = caller;
    if (timeout !== undefined && timeout <= LONGEST_TIMER)
      this.#timer = setTimeout(() => this.#stop('timeout', undefined), timeout);
    if (caller?.aborted) this.#abort();
    else caller?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #stop(code: 'timeout' | 'aborted', reason: unknown): void {
    this.code ??= code;
    this.#controller.abort(reason);
  }

  /** Undefined when the call is given up first. */
  unlessStopped<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const stop = () => resolve(undefined);
      this.signal.addEventListener('abort', stop);
      work()
        .then(resolve, reject)
        .finally(() => this.signal.removeEventListener('abort', stop));
    });
  }

  /** Ends early when the call is given up. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      if (this.signal.aborted) end();
      else this.signal.addEventListener('abort', end);
    });
  }

  /** An answer that the caller reads as it comes can still be aborted. */
  close(isStillRead: boolean): void {
    clearTimeout(this.#timer);
    if (!isStillRead) this.#caller?.removeEventListener('abort', this.#abort);
  }
}
