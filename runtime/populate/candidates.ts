/**
 * The sources of the values of a field. A field has several candidates, the most specific first; which of them its
 * validators accept shows when the first record is made.
 */
import type { Value } from '../values/value.ts';

export type Candidate = Choices | Open;

/** Few enough to be counted. */
export interface Choices {
  readonly kind: 'choices';
  /** May grow while records are made, where they are records themselves. */
  readonly size: () => number;
  readonly at: (index: number) => Value;
}

export interface Open {
  readonly kind: 'open';
  readonly any: () => Value;
  /** Another one for each number from 1 on. */
  readonly numbered: (number: number) => Value;
  /** The first number whose values are not in the column; null where its values have to be read. */
  readonly free: FreeNumbers | null;
}

export interface FreeNumbers {
  /** The query over the column, given its quoted name. It returns one number, or null where there are no rows. */
  readonly sql: (column: string) => string;
  readonly after: (found: number) => number;
}

export function choicesOf(values: readonly Value[]): Choices {
  return { kind: 'choices', size: () => values.length, at: (index) => values[index] ?? null };
}

// ── Ids ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

// The ids of one table: computed from a number, so that nothing has to remember the rows that were made.

export type Ids = ReturnType<typeof idsFrom>;

export function idsFrom(existing: readonly Value[], at: (index: number) => Value) {
  let made = 0;
  let settled = 0;
  return {
    made: () => made,
    /** The id of the record that is made now. */
    next: () => at(made),
    advance: () => void made++,
    /** Marks the records so far as settled: they are sent before all that follow. */
    settle: () => {
      settled = made;
    },
    /** The records that a reference may lead to, those that were there first. */
    choices: (isSettled: boolean): Choices => ({
      kind: 'choices',
      size: () => existing.length + (isSettled ? settled : made),
      at: (index) => (index < existing.length ? (existing[index] as Value) : at(index - existing.length)),
    }),
  };
}
