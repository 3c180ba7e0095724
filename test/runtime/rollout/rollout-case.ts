/** What a case of a rollout is made of: two programs, and what each of them shows of what the other one writes. */

/** A record as an API shows it, without `id` and the reference to its box. */
export type View = Readonly<Record<string, unknown>>;

export interface RolloutCase {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  readonly collections: readonly Collection[];
}

/** Records that each client has in a box of its own, and that it writes through either release. */
export interface Collection {
  readonly old: Side;
  /** Null where the newer release does not have it any more. */
  readonly new: Side | null;
  /** What the newer release shows of what the older one has written; `was` is what it showed before. */
  readonly toNew: Convert;
  readonly toOld: Convert;
  /** For rows that are there from the beginning: column and value for the row number `n`. */
  readonly table: string;
  readonly rows: Readonly<Record<string, string>>;
  /** Where they are in the end. */
  readonly newTable: string | null;
}

type Convert = (written: View, was: View | undefined) => View;

export interface Side {
  /** The last part of `/api/boxes/7/posts`. */
  readonly path: string;
  /** What is sent by the write number `n`. */
  readonly input: Write;
  /** Of an update, where that is less. */
  readonly changes: Write;
  /** What is shown of it: with defaults, and with what is filled in. */
  readonly shows: (sent: View) => View;
}

export type Write = (n: number, context: WriteContext) => View;

interface WriteContext {
  /** The id of the client's box. */
  readonly box: number;
  /** Whether the newer release has come: before, nobody may use what it drops. */
  readonly isMigrated: boolean;
}

/** Where it depends on the moment what is shown. */
export class Either {
  readonly values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

export function either(...values: readonly unknown[]): Either {
  return new Either(values);
}

export function isShown(expected: View, seen: View): boolean {
  const names = new Set([...Object.keys(expected), ...Object.keys(seen)]);
  return [...names].every((name) => isValue(expected[name], seen[name]));
}

function isValue(expected: unknown, seen: unknown): boolean {
  return expected instanceof Either ? expected.values.includes(seen) : expected === seen;
}
