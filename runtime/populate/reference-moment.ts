/**
 * When populators run, as far as their rows can tell: the same seed gives the same rows on every day. `now()`, the
 * dates of Faker and generated moments all go from here.
 */
import { timestampFromDate } from '../values/moment.ts';

export const REFERENCE_TIME = Date.UTC(2026, 0, 1);
export const REFERENCE_MOMENT = timestampFromDate(new Date(REFERENCE_TIME));
export const REFERENCE_DAY = REFERENCE_MOMENT.slice(0, 10);

export const SECOND = 1000;
export const DAY = 86_400 * SECOND;
export const YEAR = 365 * DAY;
/** The last moment that the language knows. */
export const END_OF_TIME = Date.UTC(9999, 11, 31);
