/** Moments as `2026-11-15T04:56:40.12Z`: in UTC, to the microsecond, without zeros at the end. */
import { compareDates, isRealDay } from './date.ts';

const FORM = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?:(:\d{2})(\.\d+)?)?(Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/;

/** From ISO 8601 with a zone. Null where the text is none, or leaves the years 0001 to 9999 in its own zone or in UTC. */
export function canonicalTimestamp(text: string): string | null {
  const [, minutes, seconds = ':00', fraction = '', zone] = FORM.exec(text) ?? [];
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

/** From what Postgres prints in whichever time zone the session has. `infinity` and years beyond 9999 stay as they are. */
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

/** Without the `Z` they sort as texts: what is longer only by digits of the second is later. */
export function compareTimestamps(a: string, b: string): number {
  return compareDates(a.slice(0, -1), b.slice(0, -1));
}
