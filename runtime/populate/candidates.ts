/**
 * What the values of a field may come from. A field has several candidates, the most telling one first; which of them
 * its validators accept shows when the first record is made.
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
  /** From which number on no value is among those of the column; null where its values have to be looked at. */
  readonly free: FreeNumbers | null;
}

export interface FreeNumbers {
  /** Over the column, which has its quoted name. One number, or null where there are no rows. */
  readonly sql: (column: string) => string;
  readonly after: (found: number) => number;
}

export function choicesOf(values: readonly Value[]): Choices {
  return { kind: 'choices', size: () => values.length, at: (index) => values[index] ?? null };
}
