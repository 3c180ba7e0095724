/* eslint-disable */
/**
 * The client of bookings, made by Kiln from its description. It is overwritten when that changes: do not edit it.
 *
 *   const client = createClient({ baseUrl: 'https://example.com' });
 */

export interface Client {
  /** Accounts and their tokens. */
  readonly auth: AuthResource;
  /** A booking is changed by the person who made it, and by managers. */
  readonly bookings: BookingsResource;
  /** Somebody who books rooms. Managers also look after them. */
  readonly me: MeResource;
  /** For managers: everybody's bookings, roles, and what the rooms are used for. */
  readonly office: OfficeResource;
  /** Records of `Room`. */
  readonly rooms: RoomsResource;
}

/** Accounts and their tokens. */
export interface AuthResource {
  /** Signs in with a password and returns a token. (`POST /api/auth/login`) */
  readonly login: Method<[body: AuthLogin, options?: LoginOptions], AuthToken, BodyCode | 'unauthenticated' | 'validation-failed' | 'too-many-requests'>;
  /** Revokes the token of this request. (`POST /api/auth/logout`) */
  readonly logout: Method<[options?: CallOptions], void, 'unauthenticated'>;
  /** Returns the account that the token belongs to. (`GET /api/auth/me`) */
  readonly me: Method<[options?: CallOptions], AuthPerson, 'malformed-request' | 'unauthenticated'>;
  /** Creates an account. Only a hash of the password is stored. (`POST /api/auth/register`) */
  readonly register: Method<[body: AuthPersonRegister, options?: CallOptions], AuthPerson, BodyCode | 'unauthenticated' | 'conflict' | 'validation-failed'>;
}

/** A booking is changed by the person who made it, and by managers. */
export interface BookingsResource {
  (booking_id: number): BookingsItem;
}

export interface BookingsItem {
  /** Get Booking. (`GET /api/bookings/{booking_id}`) */
  readonly get: Method<[options?: CallOptions], BookingCard, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Change Booking. (`PATCH /api/bookings/{booking_id}`) */
  readonly update: Method<[body?: BookingUpdate, options?: CallOptions], BookingCard, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
  /** Cancels the booking; the record stays for the reports. (`DELETE /api/bookings/{booking_id}`) */
  readonly delete: Method<[options?: CallOptions], {
    status: Status;
    late: boolean;
  }, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
  /** Moves the booking to another time. (`PUT /api/bookings/{booking_id}/time`) */
  readonly time: Method<[body: BookingTime, options?: CallOptions], BookingCard, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
}

/** Somebody who books rooms. Managers also look after them. */
export interface MeResource {
  /** Get Person. (`GET /api/me`) */
  readonly get: Method<[options?: CallOptions], PersonDetail, 'malformed-request' | 'unauthenticated'>;
  /** Change Person. (`PUT /api/me`) */
  readonly update: Method<[body?: PersonUpdate, options?: CallOptions], Host, BodyCode | 'unauthenticated' | 'not-found' | 'validation-failed'>;
  /** Makes the caller the first manager, which only one can be. (`POST /api/me/manager`) */
  readonly manager: Method<[options?: CallOptions], PersonManagerResult, 'unauthenticated' | 'not-found' | 'validation-failed'>;
  /** From `starts_at` until just before `ends_at`. */
  readonly bookings: MeBookingsResource;
}

/** From `starts_at` until just before `ends_at`. */
export interface MeBookingsResource {
  /** List Booking records. (`GET /api/me/bookings`) */
  readonly list: PagedMethod<[query?: MeBookingsListQuery, options?: CallOptions], BookingCard, 'malformed-request' | 'unauthenticated', CursorPage<BookingCard>>;
}

/** For managers: everybody's bookings, roles, and what the rooms are used for. */
export interface OfficeResource {
  /** From `starts_at` until just before `ends_at`. */
  readonly bookings: OfficeBookingsResource;
  /** Somebody who books rooms. Managers also look after them. */
  readonly people: OfficePeopleResource;
  /** Records of `Room`. */
  readonly rooms: OfficeRoomsResource;
}

/** From `starts_at` until just before `ends_at`. */
export interface OfficeBookingsResource {
  /** List Booking records. (`GET /api/office/bookings`) */
  readonly list: PagedMethod<[query?: OfficeBookingsListQuery, options?: CallOptions], BookingCard, 'malformed-request' | 'unauthenticated' | 'forbidden'>;
  /** The hours of each month since a moment, and the rooms that are used most. (`GET /api/office/bookings/report`) */
  readonly report: Method<[query?: OfficeBookingsReportQuery, options?: CallOptions], {
    since: Timestamp;
    hours: number;
    months: OfficeBookingReportResultMonths[];
    rooms: OfficeBookingReportResultRooms[];
  }, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'validation-failed'>;
}

/** Somebody who books rooms. Managers also look after them. */
export interface OfficePeopleResource {
  (person_email: string): OfficePeopleItem;
  /** List Person records. (`GET /api/office/people`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], OfficePerson, 'malformed-request' | 'unauthenticated' | 'forbidden'>;
}

export interface OfficePeopleItem {
  /** Nobody takes away their own role, so that one manager is always left. (`PUT /api/office/people/{person_email}/role`) */
  readonly role: Method<[body: OfficePersonRole, options?: CallOptions], PersonManagerResult, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
}

/** Records of `Room`. */
export interface OfficeRoomsResource {
  /** How much each room is used, the least first. (`GET /api/office/rooms/usage`) */
  readonly usage: PagedMethod<[query?: PageQuery, options?: CallOptions], OfficeRoom, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'validation-failed'>;
}

/** Records of `Room`. */
export interface RoomsResource {
  (room_slug: string): RoomsItem;
  /** List Room records. (`GET /api/rooms`) */
  readonly list: PagedMethod<[query?: RoomsListQuery, options?: CallOptions], RoomCard, 'malformed-request' | 'unauthenticated'>;
  /** Create Room. (`POST /api/rooms`) */
  readonly create: Method<[body: RoomCreate, options?: CallOptions], RoomCard, BodyCode | 'unauthenticated' | 'forbidden' | 'conflict' | 'validation-failed'>;
  /** The rooms that are free at some time, the smallest that is large enough first. (`GET /api/rooms/free`) */
  readonly free: Method<[query: RoomsFreeQuery, options?: CallOptions], {
    start: Timestamp;
    ends: Timestamp;
    rooms: RoomCard[];
  }, 'malformed-request' | 'unauthenticated' | 'validation-failed'>;
}

export interface RoomsItem {
  /** Get Room. (`GET /api/rooms/{room_slug}`) */
  readonly get: Method<[options?: CallOptions], RoomDetail, 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Change Room. (`PATCH /api/rooms/{room_slug}`) */
  readonly update: Method<[body?: RoomUpdate, options?: CallOptions], RoomCard, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Rooms have a history, so they are closed and not deleted. (`DELETE /api/rooms/{room_slug}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Favourite. (`PUT /api/rooms/{room_slug}/favourite`) */
  readonly putFavourite: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'not-found' | 'conflict'>;
  /** Favourite. (`DELETE /api/rooms/{room_slug}/favourite`) */
  readonly deleteFavourite: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** The caller's rating of the room. A remark that is left out stays as it was. (`PUT /api/rooms/{room_slug}/rating`) */
  readonly rating: Method<[body: RoomRating, options?: CallOptions], {
    stars: number;
    remark: string | null;
  }, BodyCode | 'unauthenticated' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** What happens in the room in the week of a moment, which is this week where none is given. (`GET /api/rooms/{room_slug}/week`) */
  readonly week: Method<[query?: RoomsWeekQuery, options?: CallOptions], {
    room: string;
    monday: Timestamp;
    bookings: RoomWeekResultBookings[];
  }, 'malformed-request' | 'unauthenticated' | 'not-found' | 'validation-failed'>;
  /** From `starts_at` until just before `ends_at`. */
  readonly bookings: RoomsBookingsResource;
}

/** From `starts_at` until just before `ends_at`. */
export interface RoomsBookingsResource {
  /** Two bookings of a room never overlap, however many are made at the same moment. (`POST /api/rooms/{room_slug}/bookings`) */
  readonly create: Method<[body: RoomsBookingCreate, options?: CallOptions], BookingCard, BodyCode | 'unauthenticated' | 'not-found' | 'conflict' | 'validation-failed'>;
}

// ── What is sent and answered ────────────────────────────────────────────────────────────────────────────────────────

export interface AuthLogin {
  /** Before it is checked, white space around it is removed and letters become lower case. */
  readonly email: string;
  /** At most 1024 bytes in UTF-8. */
  readonly password: string;
}

export interface AuthPerson {
  id: number;
  name: string;
  email: string;
  /** Nobody chooses their own role. */
  role: Role;
}

export interface AuthPersonRegister {
  /** Before it is checked, white space around it is removed. */
  readonly name: string;
  /** Before it is checked, white space around it is removed and letters become lower case. No other record may have the same value. */
  readonly email: string;
  /** At most 1024 bytes in UTF-8. */
  readonly password: string;
}

export interface AuthToken {
  /** For the header `Authorization: Bearer <token>`. */
  token: string;
  expiresAt: Timestamp;
}

export interface BookingCard {
  id: number;
  title: string;
  starts_at: Timestamp;
  ends_at: Timestamp;
  hours: number | null;
  status: Status;
  room: {
    /** The room in its address, made from the name. */
    slug: string;
    name: string;
  };
  person: Host;
  guests: {
    email: string;
  }[];
}

export interface BookingTime {
  /** Must pass `ahead()`. Must pass `quarterHour()`. */
  readonly start: Timestamp;
  readonly duration?: number | undefined;
}

export interface BookingUpdate {
  /** Before it is checked, white space around it is removed. */
  readonly title?: string | undefined;
}

export type Feature = 'screen' | 'whiteboard' | 'video' | 'piano' | 'step_free';

export interface Host {
  name: string;
  email: string;
}

export interface OfficeBookingReportResultMonths {
  month: Timestamp;
  bookings: number;
  hours: number | null;
}

export interface OfficeBookingReportResultRooms {
  room: string;
  hours: number | null;
  cancelled: number | null;
}

export interface OfficePerson {
  name: string;
  email: string;
  /** Nobody chooses their own role. */
  role: Role;
  planned: number;
  late: number;
}

export interface OfficePersonRole {
  readonly role: Role;
}

export interface OfficeRoom {
  name: string;
  bookings: number;
  hours: number | null;
  guests: number;
  rating: number | null;
}

export interface PersonDetail {
  name: string;
  email: string;
  /** Nobody chooses their own role. */
  role: Role;
  favourite_rooms: RoomCard[];
  upcoming: BookingCard[];
}

export interface PersonManagerResult {
  name: string;
  email: string;
  /** Nobody chooses their own role. */
  role: Role;
}

export interface PersonUpdate {
  /** Before it is checked, white space around it is removed. */
  readonly name?: string | undefined;
}

export type Role = 'member' | 'manager';

/** A room as lists show it. */
export interface RoomCard {
  /** The room in its address, made from the name. */
  slug: string;
  name: string;
  floor: number;
  seats: number;
  features: Feature[];
  stars: number | null;
}

export interface RoomCreate {
  /** Before it is checked, white space around it is removed. No other record may have the same value. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly floor?: number | undefined;
  readonly seats: number;
  readonly features?: readonly Feature[] | undefined;
  /** A closed room takes no more bookings. */
  readonly closed?: boolean | undefined;
}

export interface RoomDetail {
  /** The room in its address, made from the name. */
  slug: string;
  name: string;
  floor: number;
  seats: number;
  features: Feature[];
  stars: number | null;
  upcoming: Slot[];
  ratings: {
    stars: number;
    remark: string | null;
    person: {
      name: string;
    };
  }[];
}

export interface RoomRating {
  readonly stars: number;
  readonly remark?: string | null | undefined;
}

export interface RoomUpdate {
  /** Before it is checked, white space around it is removed. No other record may have the same value. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly floor?: number | undefined;
  readonly seats?: number | undefined;
  readonly features?: readonly Feature[] | undefined;
  /** A closed room takes no more bookings. */
  readonly closed?: boolean | undefined;
}

export interface RoomWeekResultBookings {
  title: string;
  starts_at: Timestamp;
  ends_at: Timestamp;
  mine: boolean;
}

export interface RoomsBookingCreate {
  /** Must pass `ahead()`. Must pass `quarterHour()`. */
  readonly start: Timestamp;
  readonly duration?: number | undefined;
  readonly invited?: readonly string[] | undefined;
  /** Before it is checked, white space around it is removed. */
  readonly title: string;
}

/** What everybody may know of a booking. */
export interface Slot {
  title: string;
  starts_at: Timestamp;
  ends_at: Timestamp;
}

export type Status = 'confirmed' | 'cancelled';

export interface MeBookingsListQuery extends CursorQuery {
  /** The keys to sort by, before the default order of the list. A `-` before a key sorts in descending order. */
  readonly sort?: readonly ('starts_at' | '-starts_at')[] | undefined;
  /** Only records with this `starts_at`. Repeat it to match any of several values. */
  readonly starts_at?: Timestamp | readonly Timestamp[] | {
    /** Greater than this. */
    readonly gt?: Timestamp | undefined;
    /** This or greater. */
    readonly gte?: Timestamp | undefined;
    /** Less than this. */
    readonly lt?: Timestamp | undefined;
    /** This or less. */
    readonly lte?: Timestamp | undefined;
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: Timestamp | readonly Timestamp[] | undefined;
  } | undefined;
  /** Only records with this `status`. Repeat it to match any of several values. */
  readonly status?: Status | readonly Status[] | {
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: Status | readonly Status[] | undefined;
  } | undefined;
}

export interface OfficeBookingsListQuery extends PageQuery {
  /** The keys to sort by, before the default order of the list. A `-` before a key sorts in descending order. */
  readonly sort?: readonly ('starts_at' | '-starts_at' | 'room.name' | '-room.name' | 'person.name' | '-person.name')[] | undefined;
  /** Only records with this `status`. Repeat it to match any of several values. */
  readonly status?: Status | readonly Status[] | {
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: Status | readonly Status[] | undefined;
  } | undefined;
  /** Only records with this `starts_at`. Repeat it to match any of several values. */
  readonly starts_at?: Timestamp | readonly Timestamp[] | {
    /** Greater than this. */
    readonly gt?: Timestamp | undefined;
    /** This or greater. */
    readonly gte?: Timestamp | undefined;
    /** Less than this. */
    readonly lt?: Timestamp | undefined;
    /** This or less. */
    readonly lte?: Timestamp | undefined;
    /** Not equal to this. Repeat it to exclude several values. */
    readonly ne?: Timestamp | readonly Timestamp[] | undefined;
  } | undefined;
  /**
   * Only records with this `room.slug`. Repeat it to match any of several values.
   *
   * The room in its address, made from the name.
   */
  readonly 'room.slug'?: string | readonly string[] | {
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
  /** Only records with this `person.email`. Repeat it to match any of several values. */
  readonly 'person.email'?: string | readonly string[] | {
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
}

export interface OfficeBookingsReportQuery {
  readonly since?: Timestamp | undefined;
  readonly most?: number | undefined;
}

export interface RoomsListQuery extends PageQuery {
  /** The keys to sort by, before the default order of the list. A `-` before a key sorts in descending order. */
  readonly sort?: readonly ('name' | '-name' | 'floor' | '-floor' | 'seats' | '-seats')[] | undefined;
  /** Words to search for in `name`, `description`: all of them, in any order. `"two words"` matches a phrase, `or` separates alternatives, and `-word` excludes a word. */
  readonly q?: string | undefined;
  /** Only records with this `floor`. Repeat it to match any of several values. */
  readonly floor?: number | readonly number[] | {
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
  } | undefined;
  /** Only records with this `seats`. Repeat it to match any of several values. */
  readonly seats?: number | readonly number[] | {
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
  } | undefined;
}

export interface RoomsFreeQuery {
  readonly start: Timestamp;
  readonly duration?: number | undefined;
  readonly people?: number | undefined;
  readonly feature?: Feature | undefined;
  readonly most?: number | undefined;
}

export interface RoomsWeekQuery {
  readonly moment?: Timestamp | undefined;
}

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
const CONTRACT = '37c183e2decaa821';

const CODES = /^(malformed-request|unauthenticated|forbidden|not-found|method-not-allowed|conflict|changed-meanwhile|too-large|unsupported-media-type|validation-failed|too-many-requests|internal|unavailable|took-too-long)$/;

const ROUTES: Routes = {
  auth: {
    login: { route: 'POST /api/auth/login', takes: 'body', token: 'given' },
    logout: { route: 'POST /api/auth/logout', gives: 'nothing', token: 'ended' },
    me: { route: 'GET /api/auth/me' },
    register: { route: 'POST /api/auth/register', takes: 'body' },
  },
  bookings: {
    '()': {
      get: { route: 'GET /api/bookings/{booking_id}' },
      update: { route: 'PATCH /api/bookings/{booking_id}', takes: 'body' },
      delete: { route: 'DELETE /api/bookings/{booking_id}' },
      time: { route: 'PUT /api/bookings/{booking_id}/time', takes: 'body' },
    },
  },
  me: {
    get: { route: 'GET /api/me' },
    update: { route: 'PUT /api/me', takes: 'body' },
    manager: { route: 'POST /api/me/manager' },
    bookings: {
      list: { route: 'GET /api/me/bookings', takes: 'query', filters: ['starts_at', 'status'], joined: ['sort'], gives: 'page' },
    },
  },
  office: {
    bookings: {
      list: { route: 'GET /api/office/bookings', takes: 'query', filters: ['status', 'starts_at', 'room.slug', 'person.email'], joined: ['sort'], gives: 'page' },
      report: { route: 'GET /api/office/bookings/report', takes: 'query' },
    },
    people: {
      list: { route: 'GET /api/office/people', takes: 'query', gives: 'page' },
      '()': {
        role: { route: 'PUT /api/office/people/{person_email}/role', takes: 'body' },
      },
    },
    rooms: {
      usage: { route: 'GET /api/office/rooms/usage', takes: 'query', gives: 'page' },
    },
  },
  rooms: {
    list: { route: 'GET /api/rooms', takes: 'query', filters: ['floor', 'seats'], joined: ['sort'], gives: 'page' },
    create: { route: 'POST /api/rooms', takes: 'body' },
    free: { route: 'GET /api/rooms/free', takes: 'query' },
    '()': {
      get: { route: 'GET /api/rooms/{room_slug}' },
      update: { route: 'PATCH /api/rooms/{room_slug}', takes: 'body' },
      delete: { route: 'DELETE /api/rooms/{room_slug}', gives: 'nothing' },
      putFavourite: { route: 'PUT /api/rooms/{room_slug}/favourite', gives: 'nothing' },
      deleteFavourite: { route: 'DELETE /api/rooms/{room_slug}/favourite', gives: 'nothing' },
      rating: { route: 'PUT /api/rooms/{room_slug}/rating', takes: 'body' },
      week: { route: 'GET /api/rooms/{room_slug}/week', takes: 'query' },
      bookings: {
        create: { route: 'POST /api/rooms/{room_slug}/bookings', takes: 'body' },
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
