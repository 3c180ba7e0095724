/**
 * Dates and timestamps that are moved, compared and cut, as `runtime/values/moment.ts` does it. All of it is in UTC,
 * whatever the time zone of the session is. What leaves the years 1 to 9999 is out of range.
 */
import type { Type } from '../definition.ts';
import type { Period, Unit } from '../units.ts';
import { given, where } from './overflow.ts';
import { constant, guarded, named, type Sql, sql } from './sql.ts';

/** As a `timestamp` without a zone. */
function inUtc(value: Sql, { kind }: Type): Sql {
  return kind === 'date' ? sql`(${value})::timestamp` : sql`(${value} AT TIME ZONE 'UTC')`;
}

function fromUtc(value: Sql, { kind }: Type): Sql {
  return kind === 'date' ? sql`(${value})::date` : sql`(${value} AT TIME ZONE 'UTC')`;
}

// ── Moved by a duration ─────────────────────────────────────────────────────────────────────────────────────────────

export function movedSql(unit: Unit, moment: Sql, count: Sql, type: Type): Sql {
  const from = inUtc(moment, type);
  const moved = sql`(${from} + (${count})::double precision * ${INTERVALS[unit]})`;
  const safe = given(
    sql`${from} AS b, ${count} AS n`,
    where(FITS[unit], sql`b + n::double precision * ${INTERVALS[unit]}`),
  );
  return fromUtc(guarded(inRange(moved), safe), type);
}

const INTERVALS: Readonly<Record<Unit, Sql>> = {
  years: sql`interval '1 year'`,
  months: sql`interval '1 month'`,
  weeks: sql`interval '7 days'`,
  days: sql`interval '1 day'`,
  hours: sql`interval '1 hour'`,
  minutes: sql`interval '1 minute'`,
  seconds: sql`interval '1 second'`,
};

/**
 * Postgres itself goes on to the year 294276. What is later than 9999 or earlier than 1 is moved so far that it is an
 * error there too. It depends on the value, so that Postgres does not try it while it plans the statement.
 */
function inRange(moved: Sql): Sql {
  return named([moved], ([value]) => {
    const isInRange = sql`${value as Sql} BETWEEN timestamp '0001-01-01' AND timestamp '9999-12-31 23:59:59.999999'`;
    return sql`(CASE WHEN ${isInRange} THEN ${value as Sql} ELSE ${value as Sql} + ${TOO_FAR} + ${TOO_FAR} END)`;
  });
}

const TOO_FAR = sql`interval '294277 years'`;

const DAY = sql`b::date - date '0001-01-01' + n::numeric`;
const LAST_DAY = sql`3652058`;

function fitsSeconds(seconds: Sql): Sql {
  const moved = sql`extract(epoch FROM b) + n::numeric * ${seconds}`;
  return sql`${moved} >= -62135596800 AND ${moved} < 253402300800`;
}

/** Whether `b` moved by `n` is in range, found out by numbers of any size. */
const FITS: Readonly<Record<Unit, Sql>> = {
  years: sql`extract(year FROM b) + n BETWEEN 1 AND 9999`,
  months: sql`extract(year FROM b) * 12 + extract(month FROM b) - 1 + n BETWEEN 12 AND 119999`,
  weeks: sql`${DAY} * 7 BETWEEN 0 AND ${LAST_DAY}`,
  days: sql`${DAY} BETWEEN 0 AND ${LAST_DAY}`,
  hours: fitsSeconds(sql`3600`),
  minutes: fitsSeconds(sql`60`),
  seconds: fitsSeconds(sql`1`),
};

// ── Between two ─────────────────────────────────────────────────────────────────────────────────────────────────────

type Moment = readonly [value: Sql, type: Type];

/** Whole seconds. */
export function secondsBetweenSql(...moments: readonly [Moment, Moment]): Sql {
  return sql`trunc(${exactSeconds(...moments)})::bigint`;
}

/** Whole days of 24 hours. */
export function daysBetweenSql(...moments: readonly [Moment, Moment]): Sql {
  return sql`div(${exactSeconds(...moments)}, 86400)::bigint`;
}

function exactSeconds(...[from, to]: readonly [Moment, Moment]): Sql {
  return sql`extract(epoch FROM ${inUtc(...to)} - ${inUtc(...from)})`;
}

// ── The beginning of a period ───────────────────────────────────────────────────────────────────────────────────────

export function startOfSql(period: Period, moment: Sql, type: Type): Sql {
  return fromUtc(sql`date_trunc('${constant(period)}', ${inUtc(moment, type)})`, type);
}
