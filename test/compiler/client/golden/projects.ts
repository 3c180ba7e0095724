/* eslint-disable */
/**
 * The client of projects, made by Kiln from its description. It is overwritten when that changes: do not edit it.
 *
 *   const client = createClient({ baseUrl: 'https://example.com' });
 */

export interface Client {
  /** Accounts and their tokens. */
  readonly auth: AuthResource;
  /** Records of `User`. */
  readonly me: MeResource;
  /** A team does not exist for those who are not in it. */
  readonly teams: TeamsResource;
}

/** Accounts and their tokens. */
export interface AuthResource {
  /** Signs in with a password and returns a token. (`POST /api/auth/login`) */
  readonly login: Method<[body: AuthLogin, options?: LoginOptions], AuthToken, BodyCode | 'unauthenticated' | 'validation-failed' | 'too-many-requests'>;
  /** Revokes the token of this request. (`POST /api/auth/logout`) */
  readonly logout: Method<[options?: CallOptions], void, 'unauthenticated'>;
  /** Returns the account that the token belongs to. (`GET /api/auth/me`) */
  readonly me: Method<[options?: CallOptions], AuthUser, 'malformed-request' | 'unauthenticated'>;
  /** Creates an account. Only a hash of the password is stored. (`POST /api/auth/register`) */
  readonly register: Method<[body: AuthUserRegister, options?: CallOptions], AuthUser, BodyCode | 'unauthenticated' | 'conflict' | 'validation-failed'>;
}

/** Records of `User`. */
export interface MeResource {
  /** Get User. (`GET /api/me`) */
  readonly get: Method<[options?: CallOptions], User, 'malformed-request' | 'unauthenticated'>;
  /** Change User. (`PATCH /api/me`) */
  readonly update: Method<[body?: UserUpdate, options?: CallOptions], User, BodyCode | 'unauthenticated' | 'not-found' | 'validation-failed'>;
}

/** A team does not exist for those who are not in it. */
export interface TeamsResource {
  (team_slug: string): TeamsItem;
  /** List Team records. (`GET /api/teams`) */
  readonly list: Method<[options?: CallOptions], Team[], 'malformed-request' | 'unauthenticated'>;
  /** Whoever creates a team is its first administrator. (`POST /api/teams`) */
  readonly create: Method<[body: TeamCreate, options?: CallOptions], Team, BodyCode | 'unauthenticated' | 'conflict' | 'validation-failed'>;
}

export interface TeamsItem {
  /** Get Team. (`GET /api/teams/{team_slug}`) */
  readonly get: Method<[options?: CallOptions], Team, 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Change Team. (`PUT /api/teams/{team_slug}`) */
  readonly updatePut: Method<[body?: TeamUpdate, options?: CallOptions], Team, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Change Team. (`PATCH /api/teams/{team_slug}`) */
  readonly update: Method<[body?: TeamUpdatePatch, options?: CallOptions], Team, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Records of `Label`. */
  readonly labels: TeamsLabelsResource;
  /** What a user may do in a team. */
  readonly members: TeamsMembersResource;
  /** Records of `Project`. */
  readonly projects: TeamsProjectsResource;
  /** Deleted projects. Their tasks come back with them. */
  readonly trash: TeamsTrashResource;
}

/** Records of `Label`. */
export interface TeamsLabelsResource {
  (label_name: string): TeamsLabelsItem;
  /** List Label records. (`GET /api/teams/{team_slug}/labels`) */
  readonly list: Method<[options?: CallOptions], Label[], 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Create Label. (`POST /api/teams/{team_slug}/labels`) */
  readonly create: Method<[body: LabelCreate, options?: CallOptions], Label, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface TeamsLabelsItem {
  /** Delete Label. (`DELETE /api/teams/{team_slug}/labels/{label_name}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** What a user may do in a team. */
export interface TeamsMembersResource {
  (membership_user_email: string): TeamsMembersItem;
  /** List Membership records. (`GET /api/teams/{team_slug}/members`) */
  readonly list: Method<[options?: CallOptions], MembershipListItem[], 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Create Membership. (`POST /api/teams/{team_slug}/members`) */
  readonly create: Method<[body: MembershipCreate, options?: CallOptions], Membership, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface TeamsMembersItem {
  /** Members may leave. The last administrator may not. (`DELETE /api/teams/{team_slug}/members/{membership_user_email}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found' | 'last-admin'>;
}

/** Records of `Project`. */
export interface TeamsProjectsResource {
  (project_key: string): TeamsProjectsItem;
  /** List Project records. (`GET /api/teams/{team_slug}/projects`) */
  readonly list: Method<[options?: CallOptions], Overview[], 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Create Project. (`POST /api/teams/{team_slug}/projects`) */
  readonly create: Method<[body: ProjectCreate, options?: CallOptions], Project, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface TeamsProjectsItem {
  /** Get Project. (`GET /api/teams/{team_slug}/projects/{project_key}`) */
  readonly get: Method<[options?: CallOptions], Project, 'not-modified' | 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Change Project. (`PUT /api/teams/{team_slug}/projects/{project_key}`) */
  readonly updatePut: Method<[body?: ProjectUpdate, options?: CallOptions], Project, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'changed-meanwhile' | 'validation-failed'>;
  /** Change Project. (`PATCH /api/teams/{team_slug}/projects/{project_key}`) */
  readonly update: Method<[body?: ProjectUpdatePatch, options?: CallOptions], Project, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'changed-meanwhile' | 'validation-failed'>;
  /** Delete. (`DELETE /api/teams/{team_slug}/projects/{project_key}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found' | 'changed-meanwhile'>;
  /** Posts the state of the project in the team's chat. (`POST /api/teams/{team_slug}/projects/{project_key}/announce`) */
  readonly announce: Method<[options?: CallOptions], void, ProblemCode>;
  /** Records of `Task`. */
  readonly tasks: TeamsProjectsTasksResource;
}

/** Records of `Task`. */
export interface TeamsProjectsTasksResource {
  (task_id: number): TeamsProjectsTasksItem;
  /** List Task records. (`GET /api/teams/{team_slug}/projects/{project_key}/tasks`) */
  readonly list: PagedMethod<[query?: TeamsProjectsTasksListQuery, options?: CallOptions], Card, 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Create Task. (`POST /api/teams/{team_slug}/projects/{project_key}/tasks`) */
  readonly create: Method<[body: TaskCreate, options?: CallOptions], Task, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Puts tasks in other columns and places, all of them or none. (`POST /api/teams/{team_slug}/projects/{project_key}/tasks/move`) */
  readonly move: Method<[body: TaskMove, options?: CallOptions], void, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed' | 'other-project'>;
}

export interface TeamsProjectsTasksItem {
  /** Get Task. (`GET /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}`) */
  readonly get: Method<[options?: CallOptions], Task, 'not-modified' | 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Change Task. (`PUT /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}`) */
  readonly updatePut: Method<[body?: TaskUpdate, options?: CallOptions], Task, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'changed-meanwhile' | 'validation-failed'>;
  /** Change Task. (`PATCH /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}`) */
  readonly update: Method<[body?: TaskUpdatePatch, options?: CallOptions], Task, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'changed-meanwhile' | 'validation-failed'>;
  /** Delete. (`DELETE /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found' | 'changed-meanwhile'>;
  /** Assignee. (`PUT /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/assignee`) */
  readonly assignee: Method<[body?: TaskAssignee, options?: CallOptions], Card, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'changed-meanwhile' | 'validation-failed' | 'not-a-worker'>;
  /** Gives the task these labels of the team, and no others. (`PUT /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/labels`) */
  readonly labels: Method<[body: TaskLabels, options?: CallOptions], TaskLabelsResult, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'changed-meanwhile' | 'validation-failed' | 'unknown-label'>;
  /** Records of `Comment`. */
  readonly comments: TeamsProjectsTasksCommentsResource;
}

/** Records of `Comment`. */
export interface TeamsProjectsTasksCommentsResource {
  (comment_id: number): TeamsProjectsTasksCommentsItem;
  /** List Comment records. (`GET /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/comments`) */
  readonly list: PagedMethod<[query?: CursorQuery, options?: CallOptions], Comment, 'malformed-request' | 'unauthenticated' | 'not-found', CursorPage<Comment>>;
  /** Create Comment. (`POST /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/comments`) */
  readonly create: Method<[body: CommentCreate, options?: CallOptions], Comment, BodyCode | 'unauthenticated' | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface TeamsProjectsTasksCommentsItem {
  /** Delete Comment. (`DELETE /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/comments/{comment_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** Deleted projects. Their tasks come back with them. */
export interface TeamsTrashResource {
  (project_key: string): TeamsTrashItem;
  /** List Project records. (`GET /api/teams/{team_slug}/trash`) */
  readonly list: Method<[options?: CallOptions], TeamsProject[], 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

export interface TeamsTrashItem {
  /** Delete Project. (`DELETE /api/teams/{team_slug}/trash/{project_key}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Restore. (`POST /api/teams/{team_slug}/trash/{project_key}/restore`) */
  readonly restore: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

// ── What is sent and answered ────────────────────────────────────────────────────────────────────────────────────────

export interface AuthLogin {
  /** Before it is checked, white space around it is removed and letters become lower case. */
  readonly email: string;
  /** At most 1024 bytes in UTF-8. */
  readonly password: string;
}

export interface AuthToken {
  /** For the header `Authorization: Bearer <token>`. */
  token: string;
  expiresAt: Timestamp;
}

export interface AuthUser {
  id: number;
  email: string;
  name: string;
}

export interface AuthUserRegister {
  /** Before it is checked, white space around it is removed and letters become lower case. No other record may have the same value. */
  readonly email: string;
  /** Before it is checked, white space around it is removed. */
  readonly name: string;
  /** At most 1024 bytes in UTF-8. */
  readonly password: string;
}

export interface Card {
  id: number;
  title: string;
  status: Status;
  /** The place in its column; small numbers come first. */
  position: number;
  hours: Decimal | null;
  due: DateOnly | null;
  assignee: Person | null;
  labels: {
    name: string;
  }[];
}

export interface Comment {
  id: number;
  text: string;
  written_at: Timestamp;
  author: Person;
}

export interface CommentCreate {
  readonly text: string;
}

export interface Label {
  id: number;
  name: string;
  color: string;
}

export interface LabelCreate {
  /** Before it is checked, white space around it is removed and letters become lower case. */
  readonly name: string;
  readonly color?: string | undefined;
}

/** What a user may do in a team. */
export interface Membership {
  id: number;
  role: Role;
}

export interface MembershipCreate {
  readonly role?: Role | undefined;
  /** Before it is checked, white space around it is removed and letters become lower case. The `email` of an existing `User`. */
  readonly user_email: string;
}

export interface MembershipListItem {
  id: number;
  role: Role;
  user: Person;
}

export interface Overview {
  key: string;
  name: string;
  open_count: number;
  hours: Decimal | null;
}

export interface Person {
  name: string;
  email: string;
}

export interface Project {
  key: string;
  name: string;
  open_count: number;
  hours: Decimal | null;
  budget: Decimal;
  hourly_rate: Decimal;
  planned: Decimal | null;
  over_budget: boolean | null;
}

export interface ProjectCreate {
  /** Before it is checked, white space around it is removed. */
  readonly key: string;
  readonly name: string;
  /** Must be at least 0. */
  readonly budget?: Decimal | undefined;
  /** Must be at least 0. */
  readonly hourly_rate?: Decimal | undefined;
}

export interface ProjectUpdate {
  /** Before it is checked, white space around it is removed. */
  readonly key?: string | undefined;
  readonly name?: string | undefined;
  /** Must be at least 0. */
  readonly budget?: Decimal | undefined;
  /** Must be at least 0. */
  readonly hourly_rate?: Decimal | undefined;
}

export interface ProjectUpdatePatch {
  /** Before it is checked, white space around it is removed. */
  readonly key?: string | undefined;
  readonly name?: string | undefined;
  /** Must be at least 0. */
  readonly budget?: Decimal | undefined;
  /** Must be at least 0. */
  readonly hourly_rate?: Decimal | undefined;
}

export type Role = 'guest' | 'member' | 'admin';

export type Status = 'todo' | 'doing' | 'done';

export interface Task {
  id: number;
  title: string;
  status: Status;
  /** The place in its column; small numbers come first. */
  position: number;
  hours: Decimal | null;
  due: DateOnly | null;
  assignee: Person | null;
  labels: {
    name: string;
  }[];
  body: string;
  comment_count: number;
  changed_at: Timestamp;
}

export interface TaskAssignee {
  /** Before it is checked, white space around it is removed and letters become lower case. The `email` of an existing `User`. */
  readonly user_email?: string | null | undefined;
}

export interface TaskCreate {
  readonly title: string;
  readonly body?: string | undefined;
  readonly status?: Status | undefined;
  /** The place in its column; small numbers come first. */
  readonly position?: number | undefined;
  /** Must be at least 0. */
  readonly hours?: Decimal | null | undefined;
  readonly due?: DateOnly | null | undefined;
}

export interface TaskLabels {
  readonly names: readonly string[];
}

export interface TaskLabelsResult {
  id: number;
  labels: {
    name: string;
    color: string;
  }[];
}

export interface TaskMove {
  readonly moves: readonly {
    /** The `id` of an existing `Task`. */
    readonly task_id: number;
    readonly status: Status;
    readonly position: number;
  }[];
}

export interface TaskUpdate {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly status?: Status | undefined;
  /** The place in its column; small numbers come first. */
  readonly position?: number | undefined;
  /** Must be at least 0. */
  readonly hours?: Decimal | null | undefined;
  readonly due?: DateOnly | null | undefined;
}

export interface TaskUpdatePatch {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly status?: Status | undefined;
  /** The place in its column; small numbers come first. */
  readonly position?: number | undefined;
  /** Must be at least 0. */
  readonly hours?: Decimal | null | undefined;
  readonly due?: DateOnly | null | undefined;
}

export interface Team {
  slug: string;
  name: string;
}

export interface TeamCreate {
  /** Before it is checked, white space around it is removed and letters become lower case. No other record may have the same value. */
  readonly slug: string;
  readonly name: string;
}

export interface TeamUpdate {
  /** Before it is checked, white space around it is removed and letters become lower case. No other record may have the same value. */
  readonly slug?: string | undefined;
  readonly name?: string | undefined;
}

export interface TeamUpdatePatch {
  /** Before it is checked, white space around it is removed and letters become lower case. No other record may have the same value. */
  readonly slug?: string | undefined;
  readonly name?: string | undefined;
}

export interface TeamsProject {
  key: string;
  name: string;
  open_count: number;
  hours: Decimal | null;
  deleted_at: Timestamp | null;
}

export interface User {
  name: string;
  email: string;
  memberships: {
    role: Role;
    team: Team;
  }[];
}

export interface UserUpdate {
  /** Before it is checked, white space around it is removed. */
  readonly name?: string | undefined;
}

export interface TeamsProjectsTasksListQuery extends PageQuery {
  /** The keys to sort by, before the default order of the list. A `-` before a key sorts in descending order. */
  readonly sort?: readonly ('due' | '-due' | 'changed_at' | '-changed_at')[] | undefined;
  /** Words to search for in `title`, `body`: all of them, in any order. `"two words"` matches a phrase, `or` separates alternatives, and `-word` excludes a word. */
  readonly q?: string | undefined;
  /** Only records with this `status`. Repeat it to match any of several values. */
  readonly status?: Status | readonly Status[] | {
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: Status | readonly Status[] | undefined;
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
  /** Only records with this `assignee.email`. Repeat it to match any of several values. */
  readonly 'assignee.email'?: string | readonly string[] | {
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
    /** Whether the value is null. */
    readonly null?: boolean | undefined;
  } | undefined;
}

/** A day, such as "2026-01-31". */
export type DateOnly = string;

/** An exact number as a string, such as "12.50", so that no digit is lost. */
export type Decimal = string;

/** A point in time, such as "2026-01-31T12:00:00Z". */
export type Timestamp = string;

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

export interface LoginOptions extends CallOptions {
  /** From now on this client sends the token with each request, until logout. It is kept in memory only. */
  readonly keepToken?: boolean | undefined;
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
  /** The caller has this version already: it sent `if-none-match`. */
  'not-modified': 304;
  /** The response is of a proxy, not of this API. */
  'unexpected-answer': number;
}

export type ErrorCode = keyof StatusByCode;
export type ClientCode = 'network' | 'timeout' | 'aborted' | 'unexpected-answer';
export type ProblemCode = Exclude<ErrorCode, ClientCode | 'not-modified'>;
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
  'last-admin': 409;
  'not-a-worker': 422;
  'unknown-label': 422;
  'other-project': 422;
}

// ── Code ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The server sends its contract with each response: the client notices a difference. */
const CONTRACT = '99a460565b5608ae';

const CODES = /^(malformed-request|unauthenticated|forbidden|not-found|method-not-allowed|conflict|changed-meanwhile|too-large|unsupported-media-type|validation-failed|too-many-requests|internal|unavailable|took-too-long|last-admin|not-a-worker|unknown-label|other-project)$/;

const ROUTES: Routes = {
  auth: {
    login: { route: 'POST /api/auth/login', takes: 'body', token: 'given' },
    logout: { route: 'POST /api/auth/logout', gives: 'nothing', token: 'ended' },
    me: { route: 'GET /api/auth/me' },
    register: { route: 'POST /api/auth/register', takes: 'body' },
  },
  me: {
    get: { route: 'GET /api/me' },
    update: { route: 'PATCH /api/me', takes: 'body' },
  },
  teams: {
    list: { route: 'GET /api/teams' },
    create: { route: 'POST /api/teams', takes: 'body' },
    '()': {
      get: { route: 'GET /api/teams/{team_slug}' },
      updatePut: { route: 'PUT /api/teams/{team_slug}', takes: 'body' },
      update: { route: 'PATCH /api/teams/{team_slug}', takes: 'body' },
      labels: {
        list: { route: 'GET /api/teams/{team_slug}/labels' },
        create: { route: 'POST /api/teams/{team_slug}/labels', takes: 'body' },
        '()': {
          delete: { route: 'DELETE /api/teams/{team_slug}/labels/{label_name}', gives: 'nothing' },
        },
      },
      members: {
        list: { route: 'GET /api/teams/{team_slug}/members' },
        create: { route: 'POST /api/teams/{team_slug}/members', takes: 'body' },
        '()': {
          delete: { route: 'DELETE /api/teams/{team_slug}/members/{membership_user_email}', gives: 'nothing' },
        },
      },
      projects: {
        list: { route: 'GET /api/teams/{team_slug}/projects' },
        create: { route: 'POST /api/teams/{team_slug}/projects', takes: 'body' },
        '()': {
          get: { route: 'GET /api/teams/{team_slug}/projects/{project_key}' },
          updatePut: { route: 'PUT /api/teams/{team_slug}/projects/{project_key}', takes: 'body' },
          update: { route: 'PATCH /api/teams/{team_slug}/projects/{project_key}', takes: 'body' },
          delete: { route: 'DELETE /api/teams/{team_slug}/projects/{project_key}', gives: 'nothing' },
          announce: { route: 'POST /api/teams/{team_slug}/projects/{project_key}/announce', gives: 'nothing' },
          tasks: {
            list: { route: 'GET /api/teams/{team_slug}/projects/{project_key}/tasks', takes: 'query', filters: ['status', 'due', 'assignee.email'], joined: ['sort'], gives: 'page' },
            create: { route: 'POST /api/teams/{team_slug}/projects/{project_key}/tasks', takes: 'body' },
            move: { route: 'POST /api/teams/{team_slug}/projects/{project_key}/tasks/move', takes: 'body', gives: 'nothing' },
            '()': {
              get: { route: 'GET /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}' },
              updatePut: { route: 'PUT /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}', takes: 'body' },
              update: { route: 'PATCH /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}', takes: 'body' },
              delete: { route: 'DELETE /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}', gives: 'nothing' },
              assignee: { route: 'PUT /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/assignee', takes: 'body' },
              labels: { route: 'PUT /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/labels', takes: 'body' },
              comments: {
                list: { route: 'GET /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/comments', takes: 'query', gives: 'page' },
                create: { route: 'POST /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/comments', takes: 'body' },
                '()': {
                  delete: { route: 'DELETE /api/teams/{team_slug}/projects/{project_key}/tasks/{task_id}/comments/{comment_id}', gives: 'nothing' },
                },
              },
            },
          },
        },
      },
      trash: {
        list: { route: 'GET /api/teams/{team_slug}/trash' },
        '()': {
          delete: { route: 'DELETE /api/teams/{team_slug}/trash/{project_key}', gives: 'nothing' },
          restore: { route: 'POST /api/teams/{team_slug}/trash/{project_key}/restore', gives: 'nothing' },
        },
      },
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
  #token: string | undefined;

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
        this.#keep(route, attempt, options);
        isStillRead = route.gives === 'response';
        return attempt;
      }
    } catch (error) {
      const isOver = error instanceof ApiError && error.code === 'unauthenticated';
      if (route.token === 'ended' && isOver) this.#token = undefined;
      throw error;
    } finally {
      giveUp.close(isStillRead);
    }
  }

  #keep(route: Route, { data }: Success<unknown>, options: LoginOptions): void {
    if (route.token === 'ended') this.#token = undefined;
    if (route.token === 'given' && options.keepToken) this.#token = (data as { readonly token: string }).token;
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
    const token = this.#token ?? (await valueOf(this.#options.token));
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
  const known = `${request.method} ${request.path} has not changed since the version that the caller has`;
  if (status === 304) return new ApiError(known, { code: 'not-modified', status, headers, otherContract });
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
