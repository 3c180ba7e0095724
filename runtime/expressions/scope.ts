import type { IncomingHttpHeaders } from 'node:http';
import type { Bound } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';

/** What was read of a record when it was found, by the names of its `reads`. */
export type Snapshot = Readonly<Record<string, Value>>;

/** All that the expressions of one request can see. */
export interface Scope {
  /** Checked values; those of a group are in an object of their own. What was left out and has no default is absent. */
  readonly inputs: Record<string, Value | Record<string, Value>>;
  /** The paths of the inputs that the client sent, joined with dots. */
  readonly sent: Set<string>;
  /** What the path of the request says about its records, by the names of its parameters, as it is bound. */
  identifiers: Readonly<Record<string, Bound>>;
  /**
   * By name: one record, several of a query, the result of an action as it is, or null for a record that is not there.
   * `@auth` is the authenticated record.
   */
  readonly records: Record<string, Snapshot | readonly Snapshot[] | Value>;
  readonly clock: Clock;
  /** Absent where nothing is requested, as in a populator. */
  readonly request?: RequestValues;
  /** Absent where nothing is held that others could need meanwhile: then passwords are hashed at once. */
  readonly hashing?: Hashing;
}

/** How passwords are hashed and compared, which takes long. */
export interface Hashing {
  /** `call` is the place in the program: each one gives a password a hash of its own. */
  hash(call: object, password: string): Promise<string>;
  fits(password: string, hash: string): Promise<boolean>;
  /** Code has run, which is not to run again only because a password is hashed. */
  hookHasRun(): void;
}

/** What a request brings beside its inputs. All its scopes share it. */
export interface RequestValues {
  readonly headers: IncomingHttpHeaders;
  /** Of a token of an outside provider, once it is verified. */
  claims: Readonly<Record<string, unknown>> | null;
}

/** The moment of a request, which all its scopes share. Null until something asks for it. */
export interface Clock {
  moment: Date | null;
}

export function emptyScope(clock: Clock = { moment: null }): Scope {
  return { inputs: {}, sent: new Set(), identifiers: {}, records: {}, clock };
}

/**
 * The moment that `now()` and `today()` mean, in the server and in every statement: it is taken once and bound, so
 * neither the length of a request nor the clock of the database can make two of them differ.
 */
export function momentOf({ clock }: Scope): Date {
  clock.moment ??= new Date();
  return clock.moment;
}

/** The arguments of the validator around, by name. */
export type Arguments = Readonly<Record<string, Value>>;

/** Where the result of an action is as it is, beside what is read of its record under the record's own name. */
export function resultName(record: string): string {
  return `=${record}`;
}
