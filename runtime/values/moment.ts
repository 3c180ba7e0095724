/**
 * Dates and timestamps that are moved, compared and cut, in UTC. Months and leap years are those of Postgres: a month
 * after the 31st of January is the last day of February. `compiler/definition/sql/moment-sql.ts` says the same in SQL.
 */
import type { Period, Unit } from '../../compiler/definition/units.ts';

/** `2026-11-15`, or a timestamp with that day in front. */
type Moment = string;

/** Null where it leaves the years 1 to 9999. */
export function moved(moment: Moment, count: number, unit: Unit): Moment | null {
  return MOVES[unit](moment, count);
}

const MOVES: Readonly<Record<Unit, (moment: Moment, count: number) => Moment | null>> = {
  years: (moment, count) => byMonths(moment, count * 12),
  months: byMonths,
  weeks: (moment, count) => byDays(moment, count * 7),
  days: byDays,
  hours: (moment, count) => bySeconds(moment, count * 3600),
  minutes: (moment, count) => bySeconds(moment, count * 60),
  seconds: bySeconds,
};

const DAY = 86_400;
const FIRST = Date.parse('0001-01-01T00:00:00Z') / 1000;
const END = Date.parse('9999-12-31T00:00:00Z') / 1000 + DAY;

/** The time of the day stays. */
function byMonths(moment: Moment, count: number): Moment | null {
  const months = Number(moment.slice(0, 4)) * 12 + Number(moment.slice(5, 7)) - 1 + count;
  if (!(months >= 12 && months < 10_000 * 12)) return null;
  const [year, month] = [Math.floor(months / 12), months % 12];
  const day = Math.min(Number(moment.slice(8, 10)), lastDayOf(year, month));
  return `${padded(year, 4)}-${padded(month + 1, 2)}-${padded(day, 2)}${moment.slice(10)}`;
}

/** Months count from 0. The first years are no years of the last century to `setUTCFullYear`. */
function lastDayOf(year: number, month: number): number {
  return new Date(new Date(0).setUTCFullYear(year, month + 1, 0)).getUTCDate();
}

function padded(number: number, length: number): string {
  return String(number).padStart(length, '0');
}

function byDays(moment: Moment, count: number): Moment | null {
  const text = textOf(secondsOf(moment.slice(0, 10)) + count * DAY);
  return text && `${text.slice(0, 10)}${moment.slice(10)}`;
}

function bySeconds(moment: Moment, count: number): Moment | null {
  const text = textOf(secondsOf(moment) + count);
  return text && `${text}${moment.slice(19)}`;
}

/** Since 1970, without the fraction; of a date, at its beginning. */
function secondsOf(moment: Moment): number {
  return Date.parse(moment.length === 10 ? `${moment}T00:00:00Z` : `${moment.slice(0, 19)}Z`) / 1000;
}

/** Without fraction and zone. */
function textOf(seconds: number): string | null {
  return seconds >= FIRST && seconds < END ? new Date(seconds * 1000).toISOString().slice(0, 19) : null;
}

/** Whole seconds from the first to the second. */
export function secondsBetween(from: Moment, to: Moment): number {
  const whole = secondsOf(to) - secondsOf(from);
  const rest = microsOf(to) - microsOf(from);
  if (whole > 0 && rest < 0) return whole - 1;
  return whole < 0 && rest > 0 ? whole + 1 : whole;
}

function microsOf(moment: Moment): number {
  return Number(moment.slice(20, -1).padEnd(6, '0'));
}

/** Whole days of 24 hours. */
export function daysBetween(from: Moment, to: Moment): number {
  return Math.trunc(secondsBetween(from, to) / DAY) + 0;
}

/** Weeks begin on Monday. */
export function startOf(period: Period, moment: Moment): Moment {
  return `${firstDayOf(period, moment.slice(0, 10))}${moment.length === 10 ? '' : 'T00:00:00Z'}`;
}

function firstDayOf(period: Period, day: string): string {
  switch (period) {
    case 'day':
      return day;
    case 'week': {
      const date = new Date(`${day}T00:00:00Z`);
      const sinceMonday = (date.getUTCDay() + 6) % 7;
      return new Date(date.getTime() - sinceMonday * DAY * 1000).toISOString().slice(0, 10);
    }
    case 'month':
      return `${day.slice(0, 7)}-01`;
    case 'year':
      return `${day.slice(0, 4)}-01-01`;
  }
}
