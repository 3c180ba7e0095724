import type { Habit, HabitPlace } from './habits.ts';
import { API_HABITS } from './habits-of-apis.ts';
import { FIELD_HABITS } from './habits-of-fields.ts';
import { FILE_HABITS } from './habits-of-files.ts';
import { MODEL_HABITS } from './habits-of-models.ts';
import { VALUE_HABITS } from './habits-of-values.ts';

/** All the habits that are known, by where they are found. */
export const HABITS: Readonly<Partial<Record<HabitPlace, readonly Habit[]>>> = {
  ...FILE_HABITS,
  ...MODEL_HABITS,
  ...FIELD_HABITS,
  ...API_HABITS,
  ...VALUE_HABITS,
};
