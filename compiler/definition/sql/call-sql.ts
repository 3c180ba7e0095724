/** The functions of the language, in SQL. Each gives what its counterpart in the server gives. */
import type { SearchLanguage, SearchOptions } from '../contract/list-parameters.ts';
import { LONGEST_FOR_SLUG, LONGEST_NUMBER } from '../contract/validators.ts';
import type { Call, Expression, Type } from '../expression.ts';
import { periodOf, type Unit } from '../functions.ts';
import { slugSets } from '../slug.ts';
import {
  firstPresent,
  given,
  integerFrom,
  integerFromFloat,
  integerSign,
  ofPresent,
  padded,
  places,
  replaced,
  roundedDecimal,
  roundedFloat,
  where,
  wholeDecimal,
} from './overflow.ts';
import { constant, guarded, integer, joined, named, type QuotedText, type Sql, sql } from './sql.ts';

export function callSql({ function: name, arguments: args, type }: Call, values: readonly Sql[]): Sql {
  const [value, digits] = values as [Sql, Sql | undefined];
  const from = args[0]?.type ?? type;
  if (from.many && (name === 'trim' || name === 'lower'))
    return eachItem(value, (item) => callSql({ kind: 'call', function: name, arguments: [], type: TEXT }, [item]));
  switch (name) {
    case 'length':
      return from.many ? sql`cardinality(${value})::bigint` : sql`char_length(${value})::bigint`;
    case 'lower':
    case 'upper':
      return byCodePoint(sql`${constant(name)}(${value} COLLATE "und-x-icu")`);
    case 'trim':
      return sql`btrim(${value}, ${WHITE_SPACE_TEXT})`;
    case 'replace':
      return replaced(value, values[1] as Sql, values[2] as Sql);
    case 'substring':
      return sql`substring(${value}, ${within(values[1] as Sql, 1)}, ${within(values[2] as Sql, 0)})`;
    case 'padStart':
      return padded(value, values[1] as Sql, values[2] as Sql);
    case 'slugify':
      return slugSql(value);
    case 'contains':
      return sql`(strpos(${lowered(value)}, ${lowered(values[1] as Sql)}) > 0)`;
    case 'startsWith':
      return sql`starts_with(${lowered(value)}, ${lowered(values[1] as Sql)})`;
    case 'endsWith':
      return named(
        [lowered(values[1] as Sql)],
        ([end]) => sql`(right(${lowered(value)}, char_length(${end})) = ${end})`,
      );
    case 'stringify':
      return from.nullable ? sql`coalesce(${textSql(value, from)}, 'null')` : textSql(value, from);
    case 'concat':
      return ofPresent(name, values, args.map(isSurelyThere));
    case 'coalesce':
      return firstPresent(values, args.map(isSurelyThere));
    case 'greatest':
    case 'least': {
      const compared = type.kind === 'string' ? values.map(byCodePoint) : values;
      return ofPresent(name, compared, args.map(isSurelyThere));
    }
    case 'ceil':
    case 'floor':
      if (from.kind === 'integer') return value;
      return from.kind === 'decimal' ? wholeDecimal(name, value) : integerFromFloat(sql`${constant(name)}(${value})`);
    case 'integer':
      return integerOf(value, from);
    case 'decimal':
      return decimalOf(value, from);
    case 'abs': {
      const plain = sql`abs(${value})`;
      return from.kind === 'integer' ? integerSign(plain, 'abs', value) : plain;
    }
    case 'round':
      return roundSql(value, digits ?? null, from, type);
    case 'now':
      return nowSql(type.kind === 'integer');
    case 'today':
      return TODAY;
    case 'if':
      throw new Error('the values of an `if` depend on its condition');
    case 'years':
    case 'months':
    case 'weeks':
    case 'days':
    case 'hours':
    case 'minutes':
    case 'seconds':
      return movedSql(name, value, values[1] as Sql, from);
    case 'secondsBetween':
    case 'daysBetween': {
      const seconds = exactSeconds([value, from], [values[1] as Sql, (args[1] as Expression).type]);
      return name === 'daysBetween' ? sql`div(${seconds}, 86400)::bigint` : sql`trunc(${seconds})::bigint`;
    }
    case 'startOf': {
      const period = constant(periodOf(args[0] as Expression));
      return fromUtc(sql`date_trunc('${period}', ${inUtc(values[1] as Sql, type)})`, type);
    }
    case 'file': {
      const parts = args.slice(1).map((part, at) => addressPart(part, values[at + 1] as Sql));
      return named([value], ([file]) => {
        const members = sql`'name', ${file} -> 'name', 'type', ${file} -> 'type', 'size', ${file} -> 'size'`;
        return sql`CASE WHEN ${file} IS NOT NULL THEN jsonb_build_object(${members}, 'url', ${joined(parts, ' || ')}) END`;
      });
    }
    case 'cryptoHash':
    case 'cryptoCompare':
    case 'cryptoToken':
    case 'oneOf':
      throw new Error(`\`${name}\` cannot be part of a statement`);
  }
}

const TEXT: Type = { kind: 'string' };

/** A part of an address. Bytes of a text that may mean something there are encoded. */
function addressPart(part: Expression, value: Sql): Sql {
  const text = textSql(value, part.type);
  if (part.kind === 'literal' || part.type.kind !== 'string') return text;
  const bytes = sql`regexp_replace(upper(encode(convert_to("part", 'UTF8'), 'hex')), '(..)', '%\\1', 'g')`;
  const encoded = sql`CASE WHEN "part" ~ '^[A-Za-z0-9_.~-]$' THEN "part" ELSE ${bytes} END`;
  const parts = sql`regexp_split_to_table(${text}, '') WITH ORDINALITY AS "parts"("part", "place")`;
  return sql`(SELECT coalesce(string_agg(${encoded}, '' ORDER BY "place"), '') FROM ${parts})`;
}

/** The items of an array one by one, in their order. Null stays null, and an item that becomes null is left out. */
export function eachItem(list: Sql, change: (item: Sql) => Sql): Sql {
  const items = sql`unnest(whole.list) WITH ORDINALITY AS items(item, place)`;
  const changed = sql`SELECT item FROM (SELECT ${change(sql`item`)}, place FROM ${items}) AS changed(item, place)`;
  const all = sql`ARRAY(${changed} WHERE item IS NOT NULL ORDER BY place)`;
  return sql`(SELECT ${all} FROM (SELECT ${list}) AS whole(list) WHERE whole.list IS NOT NULL)`;
}

/** Postgres refuses two collations in one expression, so letters of other case are compared as all texts are. */
function byCodePoint(value: Sql): Sql {
  return sql`(${value} COLLATE "C")`;
}

/** Lowers a text for the functions that ignore case. A final sigma becomes a plain sigma. */
function lowered(value: Sql): Sql {
  return sql`replace(${byCodePoint(sql`lower(${value} COLLATE "und-x-icu")`)}, 'ς', 'σ')`;
}

/** Makes a slug like the server, in `runtime/values/text.ts`. */
function slugSql(value: Sql): Sql {
  const start = sql`left(${value}, ${integer(LONGEST_FOR_SLUG)})`;
  const letters = byCodePoint(sql`lower(normalize(${start}, NFKD) COLLATE "und-x-icu")`);
  const plain = sql`regexp_replace(${letters}, ${ACCENTS}, '', 'g')`;
  return sql`normalize(btrim(regexp_replace(${plain}, ${SEPARATORS}, '-', 'g'), '-'), NFC)`;
}

/** The current time; as a number, milliseconds since 1970. */
export function nowSql(isNumber: boolean): Sql {
  return isNumber ? sql`floor(extract(epoch FROM now()) * 1000)::bigint` : sql`now()`;
}

/** The day in UTC. */
export const TODAY = sql`(now() AT TIME ZONE 'UTC')::date`;

/** Whether the argument is never null, unless it was out of range. */
function isSurelyThere({ type }: Call['arguments'][number]): boolean {
  return !type.nullable;
}

/** Halves go away from zero, which Postgres does for numeric only. */
function roundSql(value: Sql, digits: Sql | null, from: Type, type: Type): Sql {
  if (from.kind === 'integer') return digits === null ? value : roundedInteger(value, digits);
  if (from.kind === 'decimal') return roundedDecimal(value, digits ?? sql`0`);
  if (digits !== null) return named([value, digits], ([v, d]) => roundedFloat(v, d, halfAway));
  const rounded = named([value], ([v]) => halfAway(v, sql`1`));
  return type.kind === 'integer' ? integerFromFloat(rounded) : rounded;
}

/** Limits a count to the length that a text can have, and to at least `least`. */
function within(count: Sql, least: number): Sql {
  return sql`least(greatest(${count}, ${integer(least)}), 2147483647)::integer`;
}

/** Converts to an integer, without the fraction. A text that is no safe integer becomes null. */
function integerOf(value: Sql, { kind }: Type): Sql {
  if (kind === 'integer') return value;
  if (kind === 'float') return integerFromFloat(sql`trunc(${value})`);
  if (kind === 'decimal') return guarded(sql`trunc(${value})::bigint`, integerFrom(sql`trunc(${value})`));
  const isSafe = sql`v::bigint BETWEEN -9007199254740991 AND 9007199254740991`;
  return given(sql`${value} AS v`, where(sql`v ~ '^-{0,1}[0-9]{1,16}$'`, where(isSafe, sql`v::bigint`)));
}

/** Converts to a decimal, with the digits that a float has as a text. */
function decimalOf(value: Sql, { kind }: Type): Sql {
  if (kind === 'decimal') return value;
  if (kind === 'integer') return sql`(${value})::numeric`;
  if (kind === 'float') return sql`(${value})::text::numeric`;
  const isNumber = sql`char_length(v) <= ${integer(LONGEST_NUMBER)} AND v ~ '^-{0,1}[0-9]+([.][0-9]+){0,1}$'`;
  return given(sql`${value} AS v`, where(isNumber, sql`v::numeric`));
}

function halfAway(value: Sql, scale: Sql): Sql {
  return sql`(sign(${value}) * floor(abs(${value}) * ${scale} + 0.5) / ${scale})`;
}

function roundedInteger(value: Sql, digits: Sql): Sql {
  const plain = sql`round(${value}::numeric, ${digits}::integer)::bigint`;
  return guarded(plain, integerFrom(sql`round((${value})::numeric, ${places(digits)})`));
}

/** A value as it is in JSON, without quotes. */
export function textSql(value: Sql, { kind, many }: Type): Sql {
  if (many) return sql`(${value})::text`;
  switch (kind) {
    case 'string':
    case 'any':
      return value;
    case 'timestamp':
      return timestampText(value);
    case 'integer':
    case 'float':
    case 'boolean':
    case 'decimal':
    case 'date':
    case 'uuid':
    case 'json':
    case 'file':
    case 'enum':
    case 'record':
      return sql`(${value})::text`;
  }
}

/** `2026-11-15T04:56:40.12Z`, with no zeros at the end of the fraction. */
function timestampText(value: Sql): Sql {
  const micros = sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
  return sql`(rtrim(rtrim(${micros}, '0'), '.') || 'Z')`;
}

/** The characters that `trim` removes: all white space of JavaScript. */
export const WHITE_SPACE =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** The white space as escaped character codes, in the form that does not depend on `standard_conforming_strings`. */
const WHITE_SPACE_TEXT =
  `E'${[...WHITE_SPACE].map((space) => `\\u${space.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}'` as QuotedText;

const SLUG_SETS = slugSets((codePoint) => {
  const digits = codePoint.toString(16);
  return codePoint > 0xffff ? `\\\\U${digits.padStart(8, '0')}` : `\\\\u${digits.padStart(4, '0')}`;
});
const ACCENTS = `E'${SLUG_SETS.accents}'` as QuotedText;
const SEPARATORS = `E'${SLUG_SETS.separators}+'` as QuotedText;

// ── Moment sql ──────────────────────────────────────────────────────────────────────────────────────────────────────

// Arithmetic of dates and timestamps, like `runtime/values/moment.ts`. All of it is in UTC, whatever the time zone of
// the session. A moment outside the years 1 to 9999 is out of range.

/** Converts to a `timestamp` without a zone. */
function inUtc(value: Sql, { kind }: Type): Sql {
  return kind === 'date' ? sql`(${value})::timestamp` : sql`(${value} AT TIME ZONE 'UTC')`;
}

function fromUtc(value: Sql, { kind }: Type): Sql {
  return kind === 'date' ? sql`(${value})::date` : sql`(${value} AT TIME ZONE 'UTC')`;
}

// ── Moved by a duration ─────────────────────────────────────────────────────────────────────────────────────────────

function movedSql(unit: Unit, moment: Sql, count: Sql, type: Type): Sql {
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
 * Makes a moment outside the years 1 to 9999 an error: Postgres itself goes up to the year 294276, so such a moment is
 * moved beyond that. The shift depends on the value, so that Postgres does not try it while it plans the statement.
 */
function inRange(moved: Sql): Sql {
  return named([moved], ([value]) => {
    const isInRange = sql`${value} BETWEEN timestamp '0001-01-01' AND timestamp '9999-12-31 23:59:59.999999'`;
    return sql`(CASE WHEN ${isInRange} THEN ${value} ELSE ${value} + ${TOO_FAR} + ${TOO_FAR} END)`;
  });
}

const TOO_FAR = sql`interval '294277 years'`;

const DAY = sql`b::date - date '0001-01-01' + n::numeric`;
const LAST_DAY = sql`3652058`;

function fitsSeconds(seconds: Sql): Sql {
  const moved = sql`extract(epoch FROM b) + n::numeric * ${seconds}`;
  return sql`${moved} >= -62135596800 AND ${moved} < 253402300800`;
}

/** The conditions that `b` moved by `n` is in range, in numbers of any size. */
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

function exactSeconds(...[from, to]: readonly [Moment, Moment]): Sql {
  return sql`extract(epoch FROM ${inUtc(...to)} - ${inUtc(...from)})`;
}

// Full-text search. The index of a migration and the condition of a statement have the same expression, or Postgres could not use it.

/**
 * The words of the columns together. Without a language they are taken as they are, in small letters: the configuration
 * `simple` leaves no word out. Text behind the first 100,000 characters is not searched, because Postgres stores at
 * most a megabyte of words.
 */
export function searchedSql(columns: readonly Sql[], language?: SearchLanguage): Sql {
  const texts = columns.map((column) => sql`coalesce(${column}, '')`);
  return sql`to_tsvector(${configuration(language)}, left(${joined(texts, " || ' ' || ")}, 100000))`;
}

function configuration(language: SearchLanguage | 'simple' = 'simple'): Sql {
  return sql`${`'pg_catalog.${language}'` as QuotedText}::regconfig`;
}

export function matchesSearch(columns: readonly Sql[], words: Sql, { language, prefix }: SearchOptions = {}): Sql {
  const query = sql`websearch_to_tsquery(${configuration(language)}, ${words})`;
  return sql`${searchedSql(columns, language)} @@ ${prefix ? lastByPrefix(query) : query}`;
}

/** The text of a query ends with its last word in quotes, behind a `!` where the word is excluded. */
function lastByPrefix(query: Sql): Sql {
  return sql`regexp_replace(${query}::text, '(^|[ (])(''([^'']|'''')+'')$', '\\1\\2:*')::tsquery`;
}
