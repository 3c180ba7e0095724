/* eslint-disable */
/**
 * The client of helpdesk, made by Kiln from its description. It is overwritten when that changes: do not edit it.
 *
 *   const client = createClient({ baseUrl: 'https://example.com' });
 */

export interface Client {
  /** One of us, who answers tickets. Apart from `User`, so that nobody can register as an agent. */
  readonly agents: AgentsResource;
  /** Accounts and their tokens. */
  readonly auth: AuthResource;
  /** What runs every night, called by a scheduler that signs in as an administrator. */
  readonly maintenance: MaintenanceResource;
  /** The tickets of the user who calls, over all organisations. */
  readonly myTickets: MyTicketsResource;
  /** A company whose people write tickets. */
  readonly organisations: OrganisationsResource;
  /** Someone who may sign in: a customer's employee, or one of ours who also has an `agent` record. */
  readonly users: UsersResource;
}

/** One of us, who answers tickets. Apart from `User`, so that nobody can register as an agent. */
export interface AgentsResource {
  (agent_user_email: string): AgentsItem;
  /** List Agent records. (`GET /api/agents`) */
  readonly list: Method<[options?: CallOptions], Agent[], 'malformed-request' | 'unauthenticated' | 'forbidden'>;
  /** Create Agent. (`POST /api/agents`) */
  readonly create: Method<[body: AgentCreate, options?: CallOptions], Agent, BodyCode | 'unauthenticated' | 'forbidden' | 'conflict' | 'validation-failed'>;
}

export interface AgentsItem {
  /** Get Agent. (`GET /api/agents/{agent_user_email}`) */
  readonly get: Method<[options?: CallOptions], AgentDetail, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Change Agent. (`PATCH /api/agents/{agent_user_email}`) */
  readonly update: Method<[body?: AgentUpdate, options?: CallOptions], Agent, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
  /** Delete Agent. (`DELETE /api/agents/{agent_user_email}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
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

/** What runs every night, called by a scheduler that signs in as an administrator. */
export interface MaintenanceResource {
  /** Records of `Ticket`. */
  readonly tickets: MaintenanceTicketsResource;
}

/** Records of `Ticket`. */
export interface MaintenanceTicketsResource {
  /** Close solved. (`POST /api/maintenance/tickets/close-solved`) */
  readonly closeSolved: Method<[options?: CallOptions], void, 'unauthenticated' | 'forbidden'>;
  /** Purge empty. (`POST /api/maintenance/tickets/purge-empty`) */
  readonly purgeEmpty: Method<[options?: CallOptions], void, 'unauthenticated' | 'forbidden'>;
}

/** The tickets of the user who calls, over all organisations. */
export interface MyTicketsResource {
  (ticket_id: number): MyTicketsItem;
  /** List Ticket records. (`GET /api/my-tickets`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], Ticket, 'malformed-request' | 'unauthenticated'>;
  /** How many tickets wait for the user's answer. (`GET /api/my-tickets/waiting`) */
  readonly waiting: Method<[options?: CallOptions], number, 'malformed-request' | 'unauthenticated'>;
}

export interface MyTicketsItem {
  /** Get Ticket. (`GET /api/my-tickets/{ticket_id}`) */
  readonly get: Method<[options?: CallOptions], Ticket, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** A company whose people write tickets. */
export interface OrganisationsResource {
  (organisation_domain: string): OrganisationsItem;
  /** Agents see every organisation, everyone else their own ones. (`GET /api/organisations`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], Organisation, 'malformed-request' | 'unauthenticated'>;
  /** Create Organisation. (`POST /api/organisations`) */
  readonly create: Method<[body: OrganisationCreate, options?: CallOptions], Organisation, BodyCode | 'unauthenticated' | 'forbidden' | 'conflict' | 'validation-failed'>;
}

export interface OrganisationsItem {
  /** Get Organisation. (`GET /api/organisations/{organisation_domain}`) */
  readonly get: Method<[options?: CallOptions], OrganisationDetail, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Change Organisation. (`PATCH /api/organisations/{organisation_domain}`) */
  readonly update: Method<[body?: OrganisationUpdate, options?: CallOptions], Organisation, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Records of `Membership`. */
  readonly memberships: OrganisationsMembershipsResource;
  /** Records of `Ticket`. */
  readonly tickets: OrganisationsTicketsResource;
}

/** Records of `Membership`. */
export interface OrganisationsMembershipsResource {
  (membership_id: number): OrganisationsMembershipsItem;
  /** List Membership records. (`GET /api/organisations/{organisation_domain}/memberships`) */
  readonly list: Method<[options?: CallOptions], Membership[], 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Create Membership. (`POST /api/organisations/{organisation_domain}/memberships`) */
  readonly create: Method<[body: MembershipCreate, options?: CallOptions], Membership, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface OrganisationsMembershipsItem {
  /** Delete Membership. (`DELETE /api/organisations/{organisation_domain}/memberships/{membership_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** Records of `Ticket`. */
export interface OrganisationsTicketsResource {
  (ticket_number: number): OrganisationsTicketsItem;
  /** The tickets in one state; the open ones where none is asked for. (`GET /api/organisations/{organisation_domain}/tickets`) */
  readonly list: PagedMethod<[query?: OrganisationsTicketsListQuery, options?: CallOptions], OrganisationsTicket, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Opens a ticket together with its first message. (`POST /api/organisations/{organisation_domain}/tickets`) */
  readonly create: Method<[body: OrganisationsTicketCreate, options?: CallOptions], OrganisationsTicket, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface OrganisationsTicketsItem {
  /** Get Ticket. (`GET /api/organisations/{organisation_domain}/tickets/{ticket_number}`) */
  readonly get: Method<[options?: CallOptions], OrganisationsTicketDetail, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Change Ticket. (`PATCH /api/organisations/{organisation_domain}/tickets/{ticket_number}`) */
  readonly update: Method<[body?: OrganisationsTicketUpdate, options?: CallOptions], OrganisationsTicket, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
  /** Assign. (`POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/assign`) */
  readonly assign: Method<[body: OrganisationsTicketAssign, options?: CallOptions], void, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Ends a ticket without an answer, which needs a reason that the requester can read. (`POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/close`) */
  readonly close: Method<[body?: OrganisationsTicketClose, options?: CallOptions], void, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Forgets what was said, for a request to be forgotten. (`DELETE /api/organisations/{organisation_domain}/tickets/{ticket_number}/conversation`) */
  readonly conversation: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Reopen. (`POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/reopen`) */
  readonly reopen: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Solve. (`POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/solve`) */
  readonly solve: Method<[options?: CallOptions], Status, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Gives the ticket to the agent who calls. (`POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/take`) */
  readonly take: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict'>;
  /** Records of `Message`. */
  readonly messages: OrganisationsTicketsMessagesResource;
  /** What the requester thought of our help. */
  readonly rating: OrganisationsTicketsRatingResource;
  /** Someone who may sign in: a customer's employee, or one of ours who also has an `agent` record. */
  readonly requester: OrganisationsTicketsRequesterResource;
}

/** Records of `Message`. */
export interface OrganisationsTicketsMessagesResource {
  (message_id: number): OrganisationsTicketsMessagesItem;
  /** List Message records. (`GET /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], Message, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'> & Live<[query?: PageQuery, options?: LiveOptions], Page<Message>>;
  /** Create Message. (`POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages`) */
  readonly create: Method<[body: MessageCreate, options?: CallOptions], Message, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** A remark among agents. (`POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages/note`) */
  readonly note: Method<[body: MessageNote, options?: CallOptions], number, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface OrganisationsTicketsMessagesItem {
  /** Change Message. (`PATCH /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages/{message_id}`) */
  readonly update: Method<[body?: MessageUpdate, options?: CallOptions], Message, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
  /** Delete Message. (`DELETE /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages/{message_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** What the requester thought of our help. */
export interface OrganisationsTicketsRatingResource {
  /** Get Rating. (`GET /api/organisations/{organisation_domain}/tickets/{ticket_number}/rating`) */
  readonly get: Method<[options?: CallOptions], Rating, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Create Rating. (`POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/rating`) */
  readonly create: Method<[body: RatingCreate, options?: CallOptions], Rating, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Change Rating. (`PATCH /api/organisations/{organisation_domain}/tickets/{ticket_number}/rating`) */
  readonly update: Method<[body?: RatingUpdate, options?: CallOptions], Rating, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
  /** Delete Rating. (`DELETE /api/organisations/{organisation_domain}/tickets/{ticket_number}/rating`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** Someone who may sign in: a customer's employee, or one of ours who also has an `agent` record. */
export interface OrganisationsTicketsRequesterResource {
  /** Get User. (`GET /api/organisations/{organisation_domain}/tickets/{ticket_number}/requester`) */
  readonly get: Method<[options?: CallOptions], OrganisationsTicketsUser, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** Someone who may sign in: a customer's employee, or one of ours who also has an `agent` record. */
export interface UsersResource {
  (user_email: string): UsersItem;
}

export interface UsersItem {
  /** Get User. (`GET /api/users/{user_email}`) */
  readonly get: Method<[options?: CallOptions], User, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Password. (`PUT /api/users/{user_email}/password`) */
  readonly password: Method<[body: UserPassword, options?: CallOptions], void, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
}

// ── What is sent and answered ────────────────────────────────────────────────────────────────────────────────────────

/** One of us, who answers tickets. Apart from `User`, so that nobody can register as an agent. */
export interface Agent {
  role: AgentRole;
  signature: string | null;
  workload: number;
  user: OrganisationsTicketsUser;
}

export interface AgentCreate {
  /** Before it is checked, white space around it is removed and letters become lower case. The `email` of an existing `User`. */
  readonly user_email: string;
  readonly role?: AgentRole | undefined;
  readonly signature?: string | null | undefined;
}

export interface AgentDetail {
  role: AgentRole;
  signature: string | null;
  user: OrganisationsTicketsUser;
  urgent: {
    code: string;
    subject: string;
  }[];
}

export type AgentRole = 'support' | 'lead' | 'admin';

export interface AgentUpdate {
  readonly role?: AgentRole | undefined;
  readonly signature?: string | null | undefined;
}

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
  name: string;
  email: string;
}

export interface AuthUserRegister {
  readonly name: string;
  /** Before it is checked, white space around it is removed and letters become lower case. No other record may have the same value. */
  readonly email: string;
  /** At most 1024 bytes in UTF-8. */
  readonly password: string;
}

export interface Membership {
  id: number;
  title: string | null;
  joined_on: DateOnly;
  user: OrganisationsTicketsUser;
}

export interface MembershipCreate {
  /** Before it is checked, white space around it is removed and letters become lower case. The `email` of an existing `User`. */
  readonly user_email: string;
  readonly title?: string | null | undefined;
}

export interface Message {
  id: number;
  body: string;
  /** Only agents see an internal message. */
  internal: boolean;
  created_at: Timestamp;
  author: {
    name: string;
  };
}

export interface MessageCreate {
  /** Must pass `longerThan(0)`. */
  readonly body: string;
}

export interface MessageNote {
  /** Must pass `longerThan(0)`. */
  readonly text: string;
}

export interface MessageUpdate {
  /** Must pass `longerThan(0)`. */
  readonly body?: string | undefined;
}

/** A company whose people write tickets. */
export interface Organisation {
  name: string;
  /** The mail domain that its people write from, such as `acme.example`. */
  domain: string;
  open_ticket_count: number;
}

export interface OrganisationCreate {
  readonly name: string;
  /**
   * The mail domain that its people write from, such as `acme.example`.
   *
   * No other record may have the same value. Must pass `lowerCase()`. Must pass `longerThan(3)`.
   */
  readonly domain: string;
}

export interface OrganisationDetail {
  name: string;
  /** The mail domain that its people write from, such as `acme.example`. */
  domain: string;
  open_ticket_count: number;
  members: OrganisationsTicketsUser[];
}

export interface OrganisationUpdate {
  readonly name?: string | undefined;
  /**
   * The mail domain that its people write from, such as `acme.example`.
   *
   * No other record may have the same value. Must pass `lowerCase()`. Must pass `longerThan(3)`.
   */
  readonly domain?: string | undefined;
}

export interface OrganisationsTicket {
  number: number;
  code: string;
  subject: string;
  status: Status;
  priority: Priority;
  created_at: Timestamp;
  message_count: number;
  requester: {
    name: string;
  };
}

export interface OrganisationsTicketAssign {
  readonly agent_email: string;
}

export interface OrganisationsTicketClose {
  readonly reason?: string | undefined;
}

export interface OrganisationsTicketCreate {
  /** Must pass `longerThan(0)`. */
  readonly message: string;
  /** Must pass `longerThan(3)`. */
  readonly subject: string;
  readonly priority?: Priority | undefined;
}

export interface OrganisationsTicketDetail {
  number: number;
  code: string;
  subject: string;
  status: Status;
  overdue: boolean;
  assignee: {
    user: {
      name: string;
    };
    signature: string | null;
  } | null;
  conversation: {
    body: string;
    created_at: Timestamp;
    author: {
      name: string;
    };
  }[];
  rating: {
    stars: number;
    remark: string | null;
  } | null;
}

export interface OrganisationsTicketUpdate {
  /** Must pass `longerThan(3)`. */
  readonly subject?: string | undefined;
  readonly priority?: Priority | undefined;
}

export interface OrganisationsTicketsUser {
  name: string;
  email: string;
}

export type Priority = 'low' | 'normal' | 'high' | 'urgent';

/** What the requester thought of our help. */
export interface Rating {
  id: number;
  ticket_id: number;
  stars: number;
  remark: string | null;
}

export interface RatingCreate {
  readonly stars: number;
  readonly remark?: string | null | undefined;
}

export interface RatingUpdate {
  readonly stars?: number | undefined;
  readonly remark?: string | null | undefined;
}

export type Status = 'open' | 'pending' | 'solved' | 'closed';

export interface Ticket {
  code: string;
  subject: string;
  status: Status;
  organisation: {
    name: string;
  };
  /** The newest that the requester may read. */
  last_message: {
    body: string;
    created_at: Timestamp;
  } | null;
}

/** Someone who may sign in: a customer's employee, or one of ours who also has an `agent` record. */
export interface User {
  id: number;
  name: string;
  email: string;
  memberships: {
    title: string | null;
    organisation: {
      name: string;
      /** The mail domain that its people write from, such as `acme.example`. */
      domain: string;
    };
  }[];
}

export interface UserPassword {
  /** At most 1024 bytes in UTF-8. */
  readonly new_password: string;
}

export interface OrganisationsTicketsListQuery extends PageQuery {
  readonly state?: Status | undefined;
}

/** A day, such as "2026-01-31". */
export type DateOnly = string;

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

/** A list that can be followed. */
export interface Live<A extends readonly unknown[], D> {
  /**
   * The list, and again the whole list after each change: for await (const rows of list.live()). It connects again by
   * itself. It ends when the loop is left or the signal aborts, and throws if the list is refused.
   */
  readonly live: (...args: A) => AsyncGenerator<D, void, undefined>;
}

export type LiveOptions = Pick<CallOptions, 'signal' | 'headers'>;

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
const CONTRACT = 'ea7c6171ad4cd0dd';

const CODES = /^(malformed-request|unauthenticated|forbidden|not-found|method-not-allowed|conflict|changed-meanwhile|too-large|unsupported-media-type|validation-failed|too-many-requests|internal|unavailable|took-too-long)$/;

const ROUTES: Routes = {
  agents: {
    list: { route: 'GET /api/agents' },
    create: { route: 'POST /api/agents', takes: 'body' },
    '()': {
      get: { route: 'GET /api/agents/{agent_user_email}' },
      update: { route: 'PATCH /api/agents/{agent_user_email}', takes: 'body' },
      delete: { route: 'DELETE /api/agents/{agent_user_email}', gives: 'nothing' },
    },
  },
  auth: {
    login: { route: 'POST /api/auth/login', takes: 'body', token: 'given' },
    logout: { route: 'POST /api/auth/logout', gives: 'nothing', token: 'ended' },
    me: { route: 'GET /api/auth/me' },
    register: { route: 'POST /api/auth/register', takes: 'body' },
  },
  maintenance: {
    tickets: {
      closeSolved: { route: 'POST /api/maintenance/tickets/close-solved', gives: 'nothing' },
      purgeEmpty: { route: 'POST /api/maintenance/tickets/purge-empty', gives: 'nothing' },
    },
  },
  myTickets: {
    list: { route: 'GET /api/my-tickets', takes: 'query', gives: 'page' },
    waiting: { route: 'GET /api/my-tickets/waiting' },
    '()': {
      get: { route: 'GET /api/my-tickets/{ticket_id}' },
    },
  },
  organisations: {
    list: { route: 'GET /api/organisations', takes: 'query', gives: 'page' },
    create: { route: 'POST /api/organisations', takes: 'body' },
    '()': {
      get: { route: 'GET /api/organisations/{organisation_domain}' },
      update: { route: 'PATCH /api/organisations/{organisation_domain}', takes: 'body' },
      memberships: {
        list: { route: 'GET /api/organisations/{organisation_domain}/memberships' },
        create: { route: 'POST /api/organisations/{organisation_domain}/memberships', takes: 'body' },
        '()': {
          delete: { route: 'DELETE /api/organisations/{organisation_domain}/memberships/{membership_id}', gives: 'nothing' },
        },
      },
      tickets: {
        list: { route: 'GET /api/organisations/{organisation_domain}/tickets', takes: 'query', gives: 'page' },
        create: { route: 'POST /api/organisations/{organisation_domain}/tickets', takes: 'body' },
        '()': {
          get: { route: 'GET /api/organisations/{organisation_domain}/tickets/{ticket_number}' },
          update: { route: 'PATCH /api/organisations/{organisation_domain}/tickets/{ticket_number}', takes: 'body' },
          assign: { route: 'POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/assign', takes: 'body', gives: 'nothing' },
          close: { route: 'POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/close', takes: 'body', gives: 'nothing' },
          conversation: { route: 'DELETE /api/organisations/{organisation_domain}/tickets/{ticket_number}/conversation', gives: 'nothing' },
          reopen: { route: 'POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/reopen', gives: 'nothing' },
          solve: { route: 'POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/solve' },
          take: { route: 'POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/take', gives: 'nothing' },
          messages: {
            list: { route: 'GET /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages', takes: 'query', gives: 'page', live: true },
            create: { route: 'POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages', takes: 'body' },
            note: { route: 'POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages/note', takes: 'body' },
            '()': {
              update: { route: 'PATCH /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages/{message_id}', takes: 'body' },
              delete: { route: 'DELETE /api/organisations/{organisation_domain}/tickets/{ticket_number}/messages/{message_id}', gives: 'nothing' },
            },
          },
          rating: {
            get: { route: 'GET /api/organisations/{organisation_domain}/tickets/{ticket_number}/rating' },
            create: { route: 'POST /api/organisations/{organisation_domain}/tickets/{ticket_number}/rating', takes: 'body' },
            update: { route: 'PATCH /api/organisations/{organisation_domain}/tickets/{ticket_number}/rating', takes: 'body' },
            delete: { route: 'DELETE /api/organisations/{organisation_domain}/tickets/{ticket_number}/rating', gives: 'nothing' },
          },
          requester: {
            get: { route: 'GET /api/organisations/{organisation_domain}/tickets/{ticket_number}/requester' },
          },
        },
      },
    },
  },
  users: {
    '()': {
      get: { route: 'GET /api/users/{user_email}' },
      password: { route: 'PUT /api/users/{user_email}/password', takes: 'body', gives: 'nothing' },
    },
  },
};

interface Route {
  /** The method and the path. */
  readonly route: string;
  /** Where the input goes. */
  readonly takes?: 'query' | 'body';
  /** JSON where nothing is said. */
  readonly gives?: 'page' | 'nothing' | 'response';
  /** What a page calls its members; what it leaves out has no name. */
  readonly members?: Readonly<Record<string, string>>;
  /** What is sent in place of `page`, `pageSize` and `after`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** A status other than 2xx that the endpoint answers with by itself. */
  readonly status?: number | 'any';
  readonly token?: 'given' | 'ended';
  readonly live?: true;
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
  const live = (...args: readonly unknown[]) => {
    const [input, options] = route.takes === undefined ? [undefined, args[0]] : args;
    return connection.follow(pathFrom(route, values, input), (options ?? {}) as LiveOptions);
  };
  if (route.live) Object.assign(method, { live });
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
  readonly #streams = new LiveStreams({
    open: (list, headers, signal) => this.#openStream(list, { headers, signal, retries: 0, timeout: Infinity }),
    errorFrom: (path, problem) => {
      const response = new Response(null, { status: (problem as Problem).status });
      return refused(sendingFor(path), response, problem as Problem, undefined);
    },
    waitAfter: (error, tries) => (error instanceof ApiError ? waitBeforeRetry('GET', error, tries) : undefined),
  });

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

  follow(path: string, { headers, signal }: LiveOptions): AsyncGenerator<unknown, void, undefined> {
    const sent = new Headers(headers as Readonly<Record<string, string>>);
    sent.set('accept', EVENTS);
    return this.#streams.follow(path, sent, signal);
  }

  async #openStream(list: readonly string[], options: CallOptions): Promise<Response> {
    const { data } = await this.call(LIVE, `/api/live${queryFrom({ list })}`, undefined, options);
    const response = data as Response;
    if (response.headers.get('content-type')?.includes(EVENTS)) return response;
    throw unexpected(sendingFor('/api/live'), response, await response.text(), undefined);
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

const EVENTS = 'text/event-stream';
const LIVE: Route = { route: 'GET /api/live', gives: 'response' };

function sendingFor(path: string): Sending {
  return { route: LIVE, method: 'GET', path, body: undefined, giveUp: new GivingUp(undefined, undefined) };
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

// ── Live lists ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The most lists of one connection, and the most characters of their addresses: proxies refuse long ones. */
const MOST_LISTS = 32;
const MOST_CHARACTERS = 6_000;
/** The server sends something every 25 seconds: a connection without it is dead, even if nobody has closed it. */
const LONGEST_SILENCE = 60_000;
/** A connection that was lost earlier does not begin the waits again from the shortest. */
const STEADY = 10_000;

interface LiveSource {
  readonly open: (lists: readonly string[], headers: Headers, signal: AbortSignal) => Promise<Response>;
  /** The error for a list that the server does not send. */
  readonly errorFrom: (path: string, problem: unknown) => Error;
  /** In milliseconds; undefined if the error stays. */
  readonly waitAfter: (error: unknown, tries: number) => number | undefined;
}

type Rows = unknown[];
type PageBody = Readonly<Record<string, unknown>>;

interface EditData {
  readonly at: number;
  readonly item: unknown;
  readonly new?: boolean;
  readonly more?: boolean;
}

/** The member with the rows; undefined for a list without pages. */
function rowsKey(body: object): string | undefined {
  return Array.isArray(body) ? undefined : Object.keys(body).find((key) => Array.isArray((body as PageBody)[key]));
}

/** One list, as somebody follows it. */
class LiveList {
  readonly path: string;
  #rows: Rows = [];
  #page: PageBody | undefined;
  #text: string | undefined;
  #hasNews = false;
  /** Whether all edits of a change are made. */
  #isWhole = false;
  #end: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(path: string) {
    this.path = path;
  }

  take(event: string, data: unknown): void {
    if (event === 'list' || event === 'page') this.#replace(data as object, event === 'list');
    else if (event === 'put' || event === 'remove') this.#edit(event, data as EditData);
    if (this.#hasNews && this.#isWhole) this.#wake();
  }

  /** Without an error the loop ends as if the list were over. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  /** The list after a change; undefined at its end. Changes that come faster than they are taken are one. */
  async next(): Promise<unknown> {
    while (this.#end === undefined && !(this.#hasNews && this.#isWhole))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#end?.error !== undefined) throw this.#end.error;
    if (this.#end !== undefined) return undefined;
    this.#hasNews = false;
    const rows = [...this.#rows];
    return this.#page === undefined ? rows : { ...this.#page, [rowsKey(this.#page) ?? '']: rows };
  }

  #replace(body: object, isList: boolean): void {
    const key = rowsKey(body);
    const text = isList ? JSON.stringify(body) : undefined;
    // The list comes again with each connection, mostly as it was.
    this.#hasNews ||= text === undefined || text !== this.#text;
    this.#text = text;
    if (isList) this.#rows = [...((key === undefined ? body : (body as PageBody)[key]) as Rows)];
    this.#page = key === undefined ? undefined : (body as PageBody);
    this.#isWhole = true;
  }

  #edit(event: string, { at, item, new: isNew, more }: EditData): void {
    if (event === 'remove') this.#rows.splice(at, 1);
    else this.#rows.splice(at, isNew ? 0 : 1, item);
    this.#text = undefined;
    this.#hasNews = true;
    this.#isWhole = !more;
  }
}

/** One connection with its lists. It is opened again when it is lost, and when a list is added. */
class LiveStream {
  readonly key: string;
  readonly #headers: Headers;
  readonly #source: LiveSource;
  readonly #lists = new Set<LiveList>();
  #isRunning = false;
  #hasNewList = false;
  #turn = new AbortController();
  #wake: () => void = () => {};
  #tries = 0;

  constructor(source: LiveSource, headers: Headers, key: string) {
    this.#source = source;
    this.#headers = headers;
    this.key = key;
  }

  hasRoomFor({ path }: LiveList): boolean {
    const size = (text: string) => encodeURIComponent(text).length + '&list='.length;
    const used = [...this.#lists].reduce((sum, list) => sum + size(list.path), 0);
    return this.#lists.size === 0 || (this.#lists.size < MOST_LISTS && used + size(path) <= MOST_CHARACTERS);
  }

  add(list: LiveList): void {
    this.#lists.add(list);
    this.#hasNewList = true;
    this.#interrupt();
    if (!this.#isRunning) void this.#run();
  }

  /** The server sends the list until the connection is opened again. */
  remove(list: LiveList): void {
    this.#lists.delete(list);
    if (this.#lists.size === 0) this.#interrupt();
  }

  #interrupt(): void {
    this.#turn.abort();
    this.#wake();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Lists that are followed from the same moment on are opened together.
    await this.#sleep(0);
    while (this.#lists.size > 0) {
      this.#hasNewList = false;
      this.#turn = new AbortController();
      const wait = await this.#follow([...this.#lists], this.#turn);
      if (!this.#hasNewList && this.#lists.size > 0) await this.#sleep(wait);
    }
    this.#isRunning = false;
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Returns the time to wait before the connection is opened again. */
  async #follow(lists: readonly LiveList[], turn: AbortController): Promise<number> {
    const began = Date.now();
    const silence = new Silence(turn);
    try {
      const paths = lists.map(({ path }) => path);
      const response = await this.#source.open(paths, this.#headers, turn.signal);
      const wait = await this.#read(response, lists, silence);
      if (wait !== undefined) return wait;
    } catch (error) {
      const wait = turn.signal.aborted ? 0 : this.#source.waitAfter(error, this.#tries);
      if (wait === undefined) for (const list of lists) this.#fail(list, error);
      else return wait + this.#backoff(began);
    } finally {
      silence.end();
      turn.abort();
    }
    return this.#backoff(began);
  }

  #fail(list: LiveList, error: unknown): void {
    this.#lists.delete(list);
    list.end(error);
  }

  #backoff(began: number): number {
    if (this.#hasNewList) return 0;
    this.#tries = Date.now() - began > STEADY ? 0 : this.#tries + 1;
    return Math.min(500 * 2 ** this.#tries, 30_000) * Math.random();
  }

  /** Returns the time that the server names; undefined if the connection is lost, or has to be opened again. */
  async #read(response: Response, lists: readonly LiveList[], silence: Silence): Promise<number | undefined> {
    const reader = response.body?.getReader();
    const { signal } = this.#turn;
    // In Node 20 a read never settles if the abort comes just after the server ended the response.
    signal.addEventListener('abort', () => reader?.cancel().catch(() => {}));
    const decoder = new TextDecoder();
    const begun = new Set<LiveList>();
    let [rest, id] = ['', 0];
    while (reader !== undefined && !signal.aborted) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done) return undefined;
      silence.begin();
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const [event, data] = [field('event'), jsonOf(field('data'))];
        id = Number(field('id') ?? id);
        if (event === 'bye') return (data as { readonly after: number }).after;
        const list = lists[id];
        if (event === undefined || list === undefined || !this.#lists.has(list)) continue;
        if (event === 'error' && this.#isPassing(list, data, begun)) return undefined;
        if (event === 'list') begun.add(list);
        list.take(event, data);
      }
    }
    return undefined;
  }

  /** An error of a list that was sent is tried once more: the token may have ended, and the next request has a new one. */
  #isPassing(list: LiveList, problem: unknown, begun: ReadonlySet<LiveList>): boolean {
    const error = this.#source.errorFrom(list.path, problem);
    if (begun.has(list) || this.#source.waitAfter(error, 0) !== undefined) return true;
    this.#fail(list, error);
    return false;
  }
}

/** Ends a connection that is silent for too long. */
class Silence {
  readonly #turn: AbortController;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(turn: AbortController) {
    this.#turn = turn;
    this.begin();
  }

  begin(): void {
    this.end();
    this.#timer = setTimeout(() => this.#turn.abort(), LONGEST_SILENCE);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function jsonOf(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

/** The connections of one client. Lists with other headers have another one. */
class LiveStreams {
  readonly #source: LiveSource;
  readonly #streams: LiveStream[] = [];

  constructor(source: LiveSource) {
    this.#source = source;
  }

  async *follow(
    path: string,
    headers: Headers,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<unknown, void, undefined> {
    if (signal?.aborted) return;
    const list = new LiveList(path);
    const stream = this.#streamFor(list, headers);
    // Also where the loop waits for nothing now, and perhaps never will again.
    const end = () => {
      stream.remove(list);
      list.end();
    };
    signal?.addEventListener('abort', end);
    stream.add(list);
    try {
      for (let body = await list.next(); body !== undefined; body = await list.next()) yield body;
    } finally {
      signal?.removeEventListener('abort', end);
      stream.remove(list);
    }
  }

  #streamFor(list: LiveList, headers: Headers): LiveStream {
    let key = '';
    headers.forEach((value, name) => {
      key += `${name}: ${value}\n`;
    });
    const found = this.#streams.find((stream) => stream.key === key && stream.hasRoomFor(list));
    if (found) return found;
    const stream = new LiveStream(this.#source, headers, key);
    this.#streams.push(stream);
    return stream;
  }
}
