/**
 * Dates and timestamps that are moved, compared and cut, in UTC. Months and leap years are those of Postgres: a month
 * after the 31st of January is the last day of February. `compiler/definition/sql/moment-sql.ts` says the same in SQL.
 */
import type { Period, Unit } from '../../compiler/definition/functions.ts';

/** `2026-11-15`, or a timestamp with that day in front. */
type Moment = string;

/** Moves a moment; null where it leaves the years 1 to 9999. */
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

/** Moves by months; the time of the day stays. */
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

/** The seconds since 1970, without the fraction; for a date, at its beginning. */
function secondsOf(moment: Moment): number {
  return Date.parse(moment.length === 10 ? `${moment}T00:00:00Z` : `${moment.slice(0, 19)}Z`) / 1000;
}

/** The text without fraction and zone. */
function textOf(seconds: number): string | null {
  return seconds >= FIRST && seconds < END ? new Date(seconds * 1000).toISOString().slice(0, 19) : null;
}

/** The whole seconds from the first to the second. */
export function secondsBetween(from: Moment, to: Moment): number {
  const whole = secondsOf(to) - secondsOf(from);
  const rest = microsOf(to) - microsOf(from);
  if (whole > 0 && rest < 0) return whole - 1;
  return whole < 0 && rest > 0 ? whole + 1 : whole;
}

function microsOf(moment: Moment): number {
  return Number(moment.slice(20, -1).padEnd(6, '0'));
}

/** The number of whole days of 24 hours. */
export function daysBetween(from: Moment, to: Moment): number {
  return Math.trunc(secondsBetween(from, to) / DAY) + 0;
}

/** The start of a period. Weeks begin on Monday. */
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

// ── Date ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Dates as `2026-11-15`, from the year 0001 to 9999. They sort as texts.

const FORM = /^\d{4}-\d{2}-\d{2}$/;

export function canonicalDate(text: string): string | null {
  return FORM.test(text) && isRealDay(text) ? text : null;
}

/** JavaScript rolls the 31st of February over into March; a calendar does not. */
function isRealDay(day: string): boolean {
  const date = Number(day.slice(8, 10));
  if (date >= 1 && date <= 28) return isRealMonth(day);
  return isRealMonth(day) && new Date(`${day}T00:00:00Z`).getUTCDate() === date;
}

function isRealMonth(day: string): boolean {
  const month = Number(day.slice(5, 7));
  return month >= 1 && month <= 12 && !day.startsWith('0000');
}

/** The day in UTC. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

export function compareDates(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// ── Timestamp ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Moments as `2026-11-15T04:56:40.12Z`: in UTC, to the microsecond, without zeros at the end.

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?:(:\d{2})(\.\d+)?)?(Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/;

/**
 * Reads ISO 8601 with a zone. Null where the text is not that, or leaves the years 0001 to 9999 in its own zone or in
 * UTC.
 */
export function canonicalTimestamp(text: string): string | null {
  const [, minutes, seconds = ':00', fraction = '', zone] = TIMESTAMP.exec(text) ?? [];
  if (minutes === undefined) return null;
  if (!isRealDay(minutes.slice(0, 10)) || !isRealTime(minutes, seconds, fraction)) return null;
  const moment = new Date(`${minutes}${seconds}${zone}`).toISOString();
  return YEAR_OF_FOUR_DIGITS.test(moment) ? `${moment.slice(0, 19)}${shortFraction(fraction)}Z` : null;
}

const YEAR_OF_FOUR_DIGITS = /^(?!0000)\d{4}-/;

/** 24:00:00 is the midnight at the end of the day. */
function isRealTime(minutes: string, seconds: string, fraction: string): boolean {
  const time = `${minutes.slice(11)}${seconds}`;
  return (
    (time < '24:00:00' && time.slice(3, 5) < '60' && seconds < ':60') || time + shortFraction(fraction) === '24:00:00'
  );
}

function shortFraction(fraction: string): string {
  return fraction.slice(0, 7).replace(/\.?0*$/, '');
}

/**
 * Reads what Postgres prints in whichever time zone the session has. `infinity` and years beyond 9999 stay as they are.
 */
export function timestampFromPostgres(text: string): string {
  if (text.endsWith('+00') && text.charCodeAt(10) === SPACE) return `${text.slice(0, 10)}T${text.slice(11, -3)}Z`;
  const [, day, time, fraction = '', sign, hours, minutes = '0', seconds = '0'] = PRINTED.exec(text) ?? [];
  if (day === undefined) return text;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
  const moment = new Date(Date.parse(`${day}T${time}Z`) - offset * 1000).toISOString();
  return `${moment.slice(0, -5)}${fraction}Z`;
}

const SPACE = 32;
const PRINTED = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(\.\d+)?([+-])(\d{2})(?::(\d{2}))?(?::(\d{2}))?$/;

export function timestampFromDate(date: Date): string {
  const text = date.toISOString();
  return `${text.slice(0, 19)}${shortFraction(text.slice(19, -1))}Z`;
}

/** Compares without the `Z`: then they sort as texts, where further digits of the second make a timestamp later. */
export function compareTimestamps(a: string, b: string): number {
  return compareDates(a.slice(0, -1), b.slice(0, -1));
}
