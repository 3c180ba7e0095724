import type { IncomingHttpHeaders } from 'node:http';
import type { Bound } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';

/** The values that were read of a record when it was found, by the names of its `reads`. */
export type Snapshot = Readonly<Record<string, Value>>;

/** All that the expressions of one request can see. */
export interface Scope {
  /** Checked values; those of a group are in an object of their own. What was left out and has no default is absent. */
  readonly inputs: Record<string, Value | Record<string, Value>>;
  /** The paths of the inputs that the client sent, joined with dots. */
  readonly sent: Set<string>;
  /** The identifiers in the path of the request, by the names of its parameters, as they are bound. */
  identifiers: Readonly<Record<string, Bound>>;
  /**
   * The records by name: one record, several of a query, the unchanged result of an action, or null for a missing
   * record. `@auth` is the authenticated record.
   */
  readonly records: Record<string, Snapshot | readonly Snapshot[] | Value>;
  readonly clock: Clock;
  /** Absent where nothing is requested, as in a populator. */
  readonly request?: RequestValues;
  /**
   * The hashing between transactions. Absent where nothing is held that others could need: then passwords are hashed at
   * once.
   */
  readonly hashing?: Hashing;
}

/** How passwords are hashed and compared, which takes long. */
export interface Hashing {
  /** `call` is the place in the program: each one gives a password a hash of its own. */
  hash(call: object, password: string): Promise<string>;
  fits(password: string, hash: string): Promise<boolean>;
  /**
   * Does something that takes long once for all transactions of the request, without holding one. Where code has run, it
   * holds one, unless `isAlways`: then the code runs again.
   */
  between<T>(key: string, work: () => Promise<T>, isAlways?: boolean): Promise<T>;
  /** Code has run, which is not to run again only because a password is hashed. */
  hookHasRun(): void;
}

/** The values of a request beside its inputs. All its scopes share them. */
export interface RequestValues {
  readonly headers: IncomingHttpHeaders;
  /** The claims of a verified token of an outside provider. */
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

/** The name of the unchanged result of an action. The record's own name has what is read of it. */
export function resultName(record: string): string {
  return `=${record}`;
}
