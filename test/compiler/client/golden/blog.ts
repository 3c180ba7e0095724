/* eslint-disable */
/**
 * The client of blog, made by Kiln from its description. It is overwritten when that changes: do not edit it.
 *
 *   const client = createClient({ baseUrl: 'https://example.com' });
 */

export interface Client {
  /** Someone who writes for the blog. */
  readonly author: AuthorResource;
  /** An article. Nobody reads a draft before it is published. */
  readonly post: PostResource;
  /** Records of `Tag`. */
  readonly tag: TagResource;
}

/** Someone who writes for the blog. */
export interface AuthorResource {
  (author_id: number): AuthorItem;
  /** List Author records. (`GET /api/author`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], Author, 'malformed-request'>;
  /** Create Author. (`POST /api/author`) */
  readonly create: Method<[body: AuthorCreate, options?: CallOptions], Author, BodyCode | 'conflict' | 'validation-failed'>;
}

export interface AuthorItem {
  /** Get Author. (`GET /api/author/{author_id}`) */
  readonly get: Method<[options?: CallOptions], AuthorDetail, 'malformed-request' | 'not-found'>;
  /** Change Author. (`PATCH /api/author/{author_id}`) */
  readonly update: Method<[body?: AuthorUpdate, options?: CallOptions], Author, BodyCode | 'not-found' | 'conflict' | 'validation-failed'>;
}

/** An article. Nobody reads a draft before it is published. */
export interface PostResource {
  (post_slug: string): PostItem;
  /** The published posts, newest first. (`GET /api/post`) */
  readonly list: PagedMethod<[query?: PostListQuery, options?: CallOptions], Post, 'malformed-request' | 'validation-failed'>;
  /** Starts a draft. The author is named by e-mail address. (`POST /api/post`) */
  readonly create: Method<[body: PostCreate, options?: CallOptions], Post, BodyCode | 'conflict' | 'validation-failed' | 'too-many-requests'>;
  /** The posts that wait for publication, the oldest first. (`GET /api/post/drafts`) */
  readonly drafts: Method<[options?: CallOptions], PostDraftsResult[], 'malformed-request'>;
  /** An article. Nobody reads a draft before it is published. */
  readonly cover: PostCoverResource2;
}

export interface PostItem {
  /** Get Post. (`GET /api/post/{post_slug}`) */
  readonly get: Method<[options?: CallOptions], PostDetail, 'malformed-request' | 'not-found'>;
  /** Change Post. (`PATCH /api/post/{post_slug}`) */
  readonly update: Method<[body?: PostUpdate, options?: CallOptions], Post, BodyCode | 'not-found' | 'conflict' | 'validation-failed' | 'too-many-requests'>;
  /** Delete Post. (`DELETE /api/post/{post_slug}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'not-found'>;
  /** Cover. (`GET /api/post/{post_slug}/cover`) */
  readonly getCover: Method<[options?: CallOptions], Response, 'malformed-request' | 'not-found'>;
  /** Makes the post readable for everyone. (`POST /api/post/{post_slug}/publish`) */
  readonly publish: Method<[options?: CallOptions], void, 'malformed-request' | 'not-found'>;
  /** Turns the post into a draft again. (`POST /api/post/{post_slug}/unpublish`) */
  readonly unpublish: Method<[options?: CallOptions], void, 'malformed-request' | 'not-found'>;
  /** What a reader has to say about a post. */
  readonly comments: PostCommentsResource;
  /** An article. Nobody reads a draft before it is published. */
  readonly cover: PostCoverResource;
  /** Records of `Tagging`. */
  readonly taggings: PostTaggingsResource;
}

/** What a reader has to say about a post. */
export interface PostCommentsResource {
  (comment_id: number): PostCommentsItem;
  /** List Comment records. (`GET /api/post/{post_slug}/comments`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], Comment, 'malformed-request' | 'not-found'>;
  /** Create Comment. (`POST /api/post/{post_slug}/comments`) */
  readonly create: Method<[body: CommentCreate, options?: CallOptions], Comment, BodyCode | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface PostCommentsItem {
  /** Get Comment. (`GET /api/post/{post_slug}/comments/{comment_id}`) */
  readonly get: Method<[options?: CallOptions], Comment, 'malformed-request' | 'not-found'>;
  /** Delete Comment. (`DELETE /api/post/{post_slug}/comments/{comment_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'not-found'>;
}

/** An article. Nobody reads a draft before it is published. */
export interface PostCoverResource {
  /** Upload. (`POST /api/post/{post_slug}/cover/upload`) */
  readonly upload: Method<[body: PostUpdateCoverUpload, options?: CallOptions], {
    /** To be sent as the value of the field, once. */
    file: Uuid;
    /** Where the bytes are sent to, with PUT. */
    url: string;
    /** To be sent with the bytes. */
    headers: Record<string, string>;
    /** Until then the bytes can be sent. */
    expiresAt: Timestamp;
  }, BodyCode | 'not-found' | 'validation-failed' | 'too-many-requests'>;
}

/** Records of `Tagging`. */
export interface PostTaggingsResource {
  (tagging_id: number): PostTaggingsItem;
  /** List Tagging records. (`GET /api/post/{post_slug}/taggings`) */
  readonly list: Method<[options?: CallOptions], Tagging[], 'malformed-request' | 'not-found'>;
  /** Create Tagging. (`POST /api/post/{post_slug}/taggings`) */
  readonly create: Method<[body: TaggingCreate, options?: CallOptions], Tagging, BodyCode | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface PostTaggingsItem {
  /** Delete Tagging. (`DELETE /api/post/{post_slug}/taggings/{tagging_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'not-found'>;
}

/** An article. Nobody reads a draft before it is published. */
export interface PostCoverResource2 {
  /** Upload. (`POST /api/post/cover/upload`) */
  readonly upload: Method<[body: PostCreateCoverUpload, options?: CallOptions], {
    /** To be sent as the value of the field, once. */
    file: Uuid;
    /** Where the bytes are sent to, with PUT. */
    url: string;
    /** To be sent with the bytes. */
    headers: Record<string, string>;
    /** Until then the bytes can be sent. */
    expiresAt: Timestamp;
  }, BodyCode | 'validation-failed' | 'too-many-requests'>;
}

/** Records of `Tag`. */
export interface TagResource {
  (tag_name: string): TagItem;
  /** List Tag records. (`GET /api/tag`) */
  readonly list: Method<[options?: CallOptions], Tag[], 'malformed-request'>;
  /** Create Tag. (`POST /api/tag`) */
  readonly create: Method<[body: TagCreate, options?: CallOptions], Tag, BodyCode | 'conflict' | 'validation-failed'>;
}

export interface TagItem {
  /** Get Tag. (`GET /api/tag/{tag_name}`) */
  readonly get: Method<[options?: CallOptions], TagDetail, 'malformed-request' | 'not-found'>;
}

// ── What is sent and answered ────────────────────────────────────────────────────────────────────────────────────────

/** Someone who writes for the blog. */
export interface Author {
  id: number;
  name: string;
  bio: string | null;
  post_count: number;
}

export interface AuthorCreate {
  readonly name: string;
  /** No other record may have the same value. */
  readonly email: string;
  readonly bio?: string | null | undefined;
}

export interface AuthorDetail {
  id: number;
  name: string;
  bio: string | null;
  posts: {
    /** The last part of the post's address, such as `hello-world`. */
    slug: string;
    title: string;
    published_at: Timestamp | null;
  }[];
}

export interface AuthorUpdate {
  readonly name?: string | undefined;
  /** No other record may have the same value. */
  readonly email?: string | undefined;
  readonly bio?: string | null | undefined;
}

/** What a reader has to say about a post. */
export interface Comment {
  id: number;
  author_name: string;
  body: string;
  created_at: Timestamp;
}

export interface CommentCreate {
  readonly author_name: string;
  readonly body: string;
}

/** An article. Nobody reads a draft before it is published. */
export interface Post {
  /** The last part of the post's address, such as `hello-world`. */
  slug: string;
  title: string;
  published_at: Timestamp | null;
  comment_count: number;
  author: {
    name: string;
  };
  tags: Tag[];
}

export interface PostCreate {
  /** The `email` of an existing `Author`. */
  readonly author_email: string;
  /**
   * The last part of the post's address, such as `hello-world`.
   *
   * No other record may have the same value. Must pass `notReserved()`.
   */
  readonly slug: string;
  readonly title: string;
  readonly body?: string | undefined;
  /** The `file` of an upload, which is used once. Its type is one of image/jpeg, image/png. It has at most 5242880 bytes. */
  readonly cover?: Blob | string | null | undefined;
}

export interface PostCreateCoverUpload {
  /** The name of the file. */
  readonly name: string;
  /** Its media type, such as `image/png`. */
  readonly type: 'image/jpeg' | 'image/png';
  /** Its size in bytes. */
  readonly size: number;
}

export interface PostDetail {
  /** The last part of the post's address, such as `hello-world`. */
  slug: string;
  title: string;
  body: string;
  cover: {
    name: string;
    type: string;
    size: number;
    url: string;
  } | null;
  published: boolean;
  published_at: Timestamp | null;
  author: {
    id: number;
    name: string;
  };
  tags: Tag[];
}

export interface PostDraftsResult {
  /** The last part of the post's address, such as `hello-world`. */
  slug: string;
  title: string;
  author: {
    name: string;
  };
}

export interface PostUpdate {
  /**
   * The last part of the post's address, such as `hello-world`.
   *
   * No other record may have the same value. Must pass `notReserved()`.
   */
  readonly slug?: string | undefined;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  /** The `file` of an upload, which is used once. Its type is one of image/jpeg, image/png. It has at most 5242880 bytes. */
  readonly cover?: Blob | string | null | undefined;
}

export interface PostUpdateCoverUpload {
  /** The name of the file. */
  readonly name: string;
  /** Its media type, such as `image/png`. */
  readonly type: 'image/jpeg' | 'image/png';
  /** Its size in bytes. */
  readonly size: number;
}

export interface Tag {
  name: string;
}

export interface TagCreate {
  /** No other record may have the same value. */
  readonly name: string;
}

export interface TagDetail {
  name: string;
  posts: {
    /** The last part of the post's address, such as `hello-world`. */
    slug: string;
    title: string;
    author: {
      name: string;
    };
  }[];
}

export interface Tagging {
  id: number;
  tag: Tag;
}

export interface TaggingCreate {
  /** If a record with the same value exists, it is used instead of a new one. */
  readonly tag_name: string;
}

export interface PostListQuery extends PageQuery {
  readonly least_comments?: number | undefined;
}

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
  readonly body?: string | Blob;
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
const CONTRACT = '0f5d4ea6d5438cad';

const CODES = /^(malformed-request|unauthenticated|forbidden|not-found|method-not-allowed|conflict|changed-meanwhile|too-large|unsupported-media-type|validation-failed|too-many-requests|internal|unavailable|took-too-long)$/;

const ROUTES: Routes = {
  author: {
    list: { route: 'GET /api/author', takes: 'query', gives: 'page' },
    create: { route: 'POST /api/author', takes: 'body' },
    '()': {
      get: { route: 'GET /api/author/{author_id}' },
      update: { route: 'PATCH /api/author/{author_id}', takes: 'body' },
    },
  },
  post: {
    list: { route: 'GET /api/post', takes: 'query', gives: 'page' },
    create: { route: 'POST /api/post', takes: 'body', files: { cover: 'cover/upload' } },
    drafts: { route: 'GET /api/post/drafts' },
    '()': {
      get: { route: 'GET /api/post/{post_slug}' },
      update: { route: 'PATCH /api/post/{post_slug}', takes: 'body', files: { cover: 'cover/upload' } },
      delete: { route: 'DELETE /api/post/{post_slug}', gives: 'nothing' },
      getCover: { route: 'GET /api/post/{post_slug}/cover', gives: 'response' },
      publish: { route: 'POST /api/post/{post_slug}/publish', gives: 'nothing' },
      unpublish: { route: 'POST /api/post/{post_slug}/unpublish', gives: 'nothing' },
      comments: {
        list: { route: 'GET /api/post/{post_slug}/comments', takes: 'query', gives: 'page' },
        create: { route: 'POST /api/post/{post_slug}/comments', takes: 'body' },
        '()': {
          get: { route: 'GET /api/post/{post_slug}/comments/{comment_id}' },
          delete: { route: 'DELETE /api/post/{post_slug}/comments/{comment_id}', gives: 'nothing' },
        },
      },
      cover: {
        upload: { route: 'POST /api/post/{post_slug}/cover/upload', takes: 'body' },
      },
      taggings: {
        list: { route: 'GET /api/post/{post_slug}/taggings' },
        create: { route: 'POST /api/post/{post_slug}/taggings', takes: 'body' },
        '()': {
          delete: { route: 'DELETE /api/post/{post_slug}/taggings/{tagging_id}', gives: 'nothing' },
        },
      },
    },
    cover: {
      upload: { route: 'POST /api/post/cover/upload', takes: 'body' },
    },
  },
  tag: {
    list: { route: 'GET /api/tag' },
    create: { route: 'POST /api/tag', takes: 'body' },
    '()': {
      get: { route: 'GET /api/tag/{tag_name}' },
    },
  },
};

interface Route {
  /** The method and the path. */
  readonly route: string;
  /** Where the input goes. */
  readonly takes?: 'query' | 'body';
  /** The inputs that take files: their places in the body, and the paths below this one that offer uploads. */
  readonly files?: Readonly<Record<string, string>>;
  /** Where a file is sent to. The address has a signature, so that no message has it. */
  readonly to?: Upload;
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

interface Upload {
  readonly file: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
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
    return connection.callWithFiles(route, values, input, (options ?? {}) as CallOptions);
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

  /** Files are uploaded first, and the body has what the API calls them. All of it shares the time of the call. */
  async callWithFiles(
    route: Route,
    values: readonly PathValue[],
    input: unknown,
    options: CallOptions,
  ): Promise<Success<unknown>> {
    const end = Date.now() + (options.timeout ?? this.#options.timeout ?? Infinity);
    const inTime = (): CallOptions => ({ ...options, timeout: Math.max(end - Date.now(), 0) });
    let sent = input;
    for (const [place, name] of Object.entries(route.files ?? {})) {
      const offer = { route: `POST ${route.route.split(' ')[1]}/${name}`, takes: 'body' } as const;
      sent = await replacedAt(sent, place.split('.'), async (file) => {
        const { size, type } = file;
        const form = { name: (file as File).name || 'file', type: type || 'application/octet-stream', size };
        const { data } = await this.call(offer, pathFrom(offer, values, form), form, inTime());
        const to = data as Upload;
        const put = { route: `PUT ${to.url.split('?')[0]}`, takes: 'body', gives: 'nothing', to } as const;
        await this.call(put, pathFrom(put, [], file), file, inTime());
        return to.file;
      });
    }
    return this.call(route, pathFrom(route, values, sent), sent, inTime());
  }

  async call(route: Route, path: string, input: unknown, options: CallOptions): Promise<Success<unknown>> {
    const [method = ''] = route.route.split(' ');
    const body = route.takes !== 'body' || input === undefined ? undefined : bodyFrom(input);
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
    const { to } = request.route;
    const headers = await giveUp.unlessStopped(async () =>
      to ? new Headers(to.headers) : this.#headers(body !== undefined, options),
    );
    if (headers === undefined) return failed(request, undefined, undefined);
    const init = { method, headers, signal: giveUp.signal, ...(body === undefined ? {} : { body }) };
    let response: Response;
    try {
      const url = to?.url ?? path;
      response = await send(url.startsWith('/') ? this.#base + url : url, init);
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
  readonly body: string | Blob | undefined;
  readonly giveUp: GivingUp;
}

function bodyFrom(input: unknown): string | Blob {
  return input instanceof Blob ? input : JSON.stringify(input);
}

/** The input with something else in place of the file that it may have there. */
async function replacedAt(
  input: unknown,
  [name, ...inner]: readonly string[],
  replace: (file: Blob) => Promise<unknown>,
): Promise<unknown> {
  if (name === undefined) return input instanceof Blob ? replace(input) : input;
  if (typeof input !== 'object' || input === null || !(name in input)) return input;
  const value = (input as Readonly<Record<string, unknown>>)[name];
  return { ...input, [name]: await replacedAt(value, inner, replace) };
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
  return route.takes === 'query' ? path + queryFrom(input) : path;
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
    for (const each of [value].flat()) if (each != null) query.append(name, String(each));
  }
  const text = query.toString();
  return text === '' ? '' : '?' + text;
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
