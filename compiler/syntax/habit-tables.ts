/** All the habits that are known, by where they are found: the rows of `habits.json`, with their patterns and functions. */
import { type WithPattern, type WrittenRow, withPatterns } from './habit-data.ts';
import { ADVICE, REPLACEMENTS } from './habit-texts.ts';
import tables from './habits.json' with { type: 'json' };
import type { Habit, HabitPlace } from './habits.ts';

/** `insteadBy` and `helpBy` name a function of `habit-texts.ts`. */
interface HabitRow extends WrittenRow, Omit<Habit, 'written' | 'instead' | 'help'> {
  /** The places where it is found, with blanks between them. */
  readonly in: string;
  readonly instead?: string;
  readonly insteadBy?: string;
  readonly help?: string;
  readonly helpBy?: string;
}

export const HABITS: Readonly<Partial<Record<HabitPlace, readonly Habit[]>>> = byPlace(
  withPatterns(tables.habits as readonly HabitRow[]),
);

function byPlace(rows: readonly WithPattern<HabitRow>[]): Record<string, Habit[]> {
  const habits: Record<string, Habit[]> = {};
  for (const row of rows) {
    const habit = {
      ...row,
      instead: row.insteadBy === undefined ? row.instead : REPLACEMENTS[row.insteadBy],
      help: row.helpBy === undefined ? row.help : ADVICE[row.helpBy],
    } as Habit;
    for (const place of row.in.split(' ')) habits[place] = [...(habits[place] ?? []), habit];
  }
  return habits;
}
