/**
 * Arithmetic of rows that may go out of range. A statement has it twice: as it is, and in a guarded form that gives
 * null instead of an error, which is used only if the first one has failed. The guarded form has each operand once, in
 * a select of its own: OFFSET 0 prevents the planner from inlining it.
 */
import { LONGEST_MADE, LONGEST_PART } from '../contract/validators.ts';
import type { Digits } from '../expression.ts';
import { QUOTIENT_PLACES } from '../functions.ts';
import { all, constant, guarded, integer, joined, named, type Sql, sql } from './sql.ts';

/** The operands by name, and what is made of them. */
export function given(operands: Sql, result: Sql): Sql {
  return sql`(SELECT ${result} FROM (SELECT ${operands} OFFSET 0) AS "#guard")`;
}

export function where(condition: Sql, result: Sql): Sql {
  return sql`CASE WHEN ${condition} THEN ${result} END`;
}

/** An operation of two operands; `fits` is the condition on `l` and `r` that the result is in range. */
function operation(left: Sql, operator: Sql, right: Sql, fits: Sql): Sql {
  return guarded(
    sql`(${left} ${operator} ${right})`,
    given(sql`${left} AS l, ${right} AS r`, where(fits, sql`l ${operator} r`)),
  );
}

// ── Conditions ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A comparison that treats null like any other value. If an operand that is never null was out of range, it is null, so
 * that neither the condition nor its opposite holds.
 */
export function decided(condition: Sql, ...operands: readonly (readonly [value: Sql, isSurelyThere: boolean])[]): Sql {
  const risky = operands.filter(([value, isSurelyThere]) => isSurelyThere && value.guarded !== undefined);
  if (risky.length === 0) return condition;
  return guarded(condition, where(allPresent(risky.map(([value]) => value)), condition));
}

function allPresent(values: readonly Sql[]): Sql {
  return joined(
    values.map((value) => sql`${value} IS NOT NULL`),
    ' AND ',
  );
}

// ── Functions that put something in the place of null ───────────────────────────────────────────────────────────────

/** Writes a function that ignores nulls. If a value is null only because it was out of range, the result is null. */
export function ofPresent(
  name: 'concat' | 'greatest' | 'least',
  values: readonly Sql[],
  surelyThere: readonly boolean[],
): Sql {
  const made = (parts: readonly Sql[]) => sql`${constant(name)}(${joined(parts, ', ')})`;
  const plain = made(values);
  const names = values.map((_, at) => sql`v${integer(at)}`);
  const needed = names.filter((_, at) => surelyThere[at] && values[at]?.guarded);
  if (needed.length === 0) return plain;
  const columns = values.map((value, at) => sql`${value} AS ${names[at] as Sql}`);
  return guarded(plain, given(joined(columns, ', '), where(allPresent(needed), made(names))));
}

/** Writes `coalesce`. Values after one that is never null are ignored, even if that one was out of range. */
export function firstPresent(values: readonly Sql[], surelyThere: readonly boolean[]): Sql {
  const plain = sql`coalesce(${joined(values, ', ')})`;
  const last = surelyThere.indexOf(true);
  if (last < 0 || !values[last]?.guarded) return plain;
  return guarded(plain, sql`coalesce(${joined(values.slice(0, last + 1), ', ')})`);
}

// ── Parts of texts ──────────────────────────────────────────────────────────────────────────────────────────────────

const LARGEST_INT4 = 2 ** 31 - 1;

/** Limits a part that comes from a row and that `find` looks for. If it is too long, its length goes out of range. */
export function withShortPart(part: Sql, find: (part: Sql) => Sql): Sql {
  const rest = integer(LARGEST_INT4 - LONGEST_PART);
  return guarded(
    find(named([part], ([p]) => sql`left(${p}, char_length(${p}) + ${rest})`)),
    given(sql`${part} AS p`, where(sql`char_length(p) <= ${integer(LONGEST_PART)}`, find(sql`p`))),
  );
}

/**
 * Postgres makes the text only where it is short enough. Otherwise its length goes out of range. It depends on the text, so
 * that Postgres does not try it while it plans the statement.
 */
function ofLength(made: Sql, most: Sql, result: Sql, text: Sql): Sql {
  const tooLong = sql`(${integer(LARGEST_INT4)} + greatest(${made}, char_length(${text})))::integer`;
  return sql`CASE WHEN ${made} <= ${most} THEN ${result} ELSE left(${text}, ${tooLong}) END`;
}

type Texts = readonly [text: Sql, part: Sql, other: Sql];

export function replaced(...texts: Texts): Sql {
  const inside = ([text, part, other]: Texts, form: typeof ofLength) => {
    const gone = sql`(char_length(${text}) - char_length(replace(${text}, ${part}, '')))`;
    const times = sql`${gone} / greatest(char_length(${part}), 1)`;
    const made = sql`(char_length(${text}) + (${times})::bigint * (char_length(${other}) - char_length(${part})))`;
    const most = sql`greatest(${integer(LONGEST_MADE)}, char_length(${text}))`;
    return form(made, most, sql`replace(${text}, ${part}, ${other})`, text);
  };
  return limited(texts, inside);
}

/** Pads a text. The result is null if an argument is null, even if nothing is added. */
export function padded(...texts: Texts): Sql {
  const inside = ([text, width, filling]: Texts, form: typeof ofLength) => {
    const short = form(width, integer(LONGEST_MADE), sql`lpad(${text}, (${width})::integer, ${filling})`, text);
    return sql`CASE WHEN ${width} <= char_length(${text}) THEN ${text} || left(${filling}, 0) ELSE ${short} END`;
  };
  return limited(texts, inside);
}

/** The text that is made of these, which is out of range, or null in the guarded form, where it is too long. */
function limited(texts: Texts, inside: (texts: Texts, form: typeof ofLength) => Sql): Sql {
  return guarded(
    named(texts, (names) => inside(names, ofLength)),
    given(
      columns(texts),
      inside(NAMES, (made, most, result) => where(sql`${made} <= ${most}`, result)),
    ),
  );
}

const NAMES: Texts = [sql`v0`, sql`v1`, sql`v2`];

function columns(values: Texts): Sql {
  return joined(
    values.map((value, at) => sql`${value} AS ${NAMES[at] as Sql}`),
    ', ',
  );
}

// ── Integers ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Converts a `numeric` to an integer. */
export function integerFrom(value: Sql): Sql {
  return given(sql`${value} AS v`, where(sql`v BETWEEN -9223372036854775808 AND 9223372036854775807`, sql`v::bigint`));
}

export function integerOperation(left: Sql, operator: '+' | '-' | '*', right: Sql): Sql {
  return guarded(
    sql`(${left} ${constant(operator)} ${right})`,
    integerFrom(sql`(${left})::numeric ${constant(operator)} (${right})::numeric`),
  );
}

/** `-` or `abs`, which the smallest integer has no result for. */
export function integerSign(plain: Sql, name: '-' | 'abs', value: Sql): Sql {
  return guarded(plain, integerFrom(sql`${constant(name)}((${value})::numeric)`));
}

/** Converts a whole float to an integer. */
export function integerFromFloat(value: Sql): Sql {
  const fits = sql`v >= -9223372036854775808 AND v < 9223372036854775808`;
  return guarded(sql`${value}::bigint`, given(sql`${value} AS v`, where(fits, sql`v::bigint`)));
}

// ── Floats ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A little less than the largest float, because what is compared with it is rounded otherwise. */
const LARGEST = sql`1.79769313486231e308`;
/** More than half of the smallest float, which is rounded up to it. */
const SMALLEST = sql`3e-324`;

/** Converts a `numeric` to a float. */
export function floatFrom(value: Sql): Sql {
  const fits = sql`v = 0 OR abs(v) BETWEEN ${SMALLEST} AND ${LARGEST}`;
  return given(sql`${value} AS v`, where(fits, sql`v::double precision`));
}

export function floatFromDecimal(value: Sql): Sql {
  return guarded(sql`(${value}::double precision)`, floatFrom(value));
}

/** A divisor of zero has been made null before. */
export function floatOperation(left: Sql, operator: '+' | '-' | '*' | '/', right: Sql): Sql {
  const sign = constant(operator);
  const exactly = sql`abs(l::text::numeric ${sign} r::text::numeric)`;
  const isSum = operator === '+' || operator === '-';
  const isLarge = isSum ? sql`` : sql` AND (l = 0 OR r = 0 OR ${exactly} > ${SMALLEST})`;
  return operation(left, sign, right, sql`${exactly} < ${LARGEST}${isLarge}`);
}

/** `rounded` takes the names of a value and of a scale. */
export function roundedFloat(value: Sql, digits: Sql, rounded: (value: Sql, scale: Sql) => Sql): Sql {
  const scale = (places: Sql) => sql`('1e' || ${places})::double precision`;
  const exactly = sql`abs(v::text::numeric * ('1e' || d)::numeric)`;
  const fits = sql`v = 0 OR ${exactly} BETWEEN ${SMALLEST} AND ${LARGEST}`;
  const inRange = where(sql`d BETWEEN -300 AND 300`, where(fits, rounded(sql`v`, scale(sql`d`))));
  return guarded(rounded(value, scale(digits)), given(sql`${value} AS v, ${digits} AS d`, inRange));
}

// ── Decimals ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The largest number of digits of a `numeric` before the point. */
const MOST_DIGITS = 131_072;

function digitsOf(name: Sql): Sql {
  return sql`char_length(trunc(abs(${name}))::text)`;
}

export function decimalOperation(left: Sql, operator: '+' | '-' | '*', right: Sql): Sql {
  const [l, r] = [digitsOf(sql`l`), digitsOf(sql`r`)];
  const most = integer(MOST_DIGITS);
  const fits = operator === '*' ? sql`${l} + ${r} <= ${most}` : sql`greatest(${l}, ${r}) < ${most}`;
  return operation(left, constant(operator), right, fits);
}

/** Divides in whole units of the last place, without a fraction, so that nothing is rounded twice. */
export function quotientOf(left: Sql, right: Sql): Sql {
  const units = sql`2e${integer(QUOTIENT_PLACES)}`;
  const quotient = sql`div(abs(${left}) * ${units} + abs(${right}), abs(${right}) * 2)`;
  return sql`trim_scale(sign(${left}) * sign(${right}) * ${quotient} * 1e-${integer(QUOTIENT_PLACES)})`;
}

/** A divisor of zero has been made null before. */
export function decimalQuotient(left: Sql, right: Sql): Sql {
  const fits = sql`${digitsOf(sql`l`)} + scale(r) + ${integer(QUOTIENT_PLACES + 2)} <= ${integer(MOST_DIGITS)}`;
  return guarded(
    named([left, right], ([l, r]) => quotientOf(l, r)),
    given(sql`${left} AS l, ${right} AS r`, where(fits, quotientOf(sql`l`, sql`r`))),
  );
}

/** `ceil` or `floor`. */
export function wholeDecimal(name: 'ceil' | 'floor', value: Sql): Sql {
  const whole = where(sql`${digitsOf(sql`v`)} < ${integer(MOST_DIGITS)}`, sql`${constant(name)}(v)`);
  return guarded(sql`${constant(name)}(${value})`, given(sql`${value} AS v`, whole));
}

export function roundedDecimal(value: Sql, digits: Sql): Sql {
  const rounded = where(sql`${digitsOf(sql`v`)} < ${integer(MOST_DIGITS)}`, sql`round(v, d)`);
  return guarded(sql`round(${value}, ${digits}::integer)`, given(sql`${value} AS v, ${places(digits)} AS d`, rounded));
}

/** Gives a decimal its digits. A value with other digits is made so large that it is out of range. */
export function sizedDecimal(value: Sql, digits: Digits): Sql {
  const [all, places] = [integer(digits.all), integer(digits.places)];
  const limit = sql`1e${integer(digits.all - digits.places)}`;
  const sized = (v: Sql) => sql`(${v})::numeric(${all}, ${places})`;
  const plain = named([value], ([v]) =>
    sized(sql`CASE WHEN ${v} = round(${v}, ${places}) THEN ${v} ELSE abs(${v}) + ${limit} END`),
  );
  return guarded(plain, given(sql`${value} AS v`, where(hasDigits(sql`v`, digits), sized(sql`v`))));
}

export function hasDigits(value: Sql, { all, places }: Digits): Sql {
  return sql`${value} = round(${value}, ${integer(places)}) AND abs(${value}) < 1e${integer(all - places)}`;
}

/** Limits the digits to what `round` takes: further ones change nothing. */
export function places(digits: Sql): Sql {
  return sql`least(greatest(${digits}, -2147483647), 2147483647)::integer`;
}

// ── Over many records ───────────────────────────────────────────────────────────────────────────────────────────────

/**
 * An aggregate of the values `v`. It is null if one of them is so long that a sum of many could be too long, or, if
 * none may be missing, if one was out of range itself.
 */
export function foldOf(
  name: 'sum' | 'avg' | 'min' | 'max',
  { isDecimal, isComplete }: { readonly isDecimal: boolean; readonly isComplete: boolean },
  v: Sql = sql`v`,
): Sql {
  const isShort = sql`${digitsOf(v)} < ${integer(MOST_DIGITS - 20)}`;
  const isCounted = isDecimal && (name === 'sum' || name === 'avg');
  const filter = isCounted ? sql` FILTER (WHERE ${isShort})` : sql``;
  const folded = isCounted && name === 'avg' ? meanOf(v, filter) : sql`${constant(name)}(${v})${filter}`;
  const conditions = [...(isCounted ? [isShort] : []), ...(isComplete ? [sql`${v} IS NOT NULL`] : [])];
  const orZero = name === 'sum' ? sql`coalesce(${folded}, 0)` : folded;
  return conditions.length === 0 ? orZero : where(sql`coalesce(bool_and(${all(conditions)}), TRUE)`, orZero);
}

/** The mean of decimals, with the digits of a quotient. */
export function meanOf(v: Sql, filter = sql``): Sql {
  return quotientOf(sql`sum(${v})${filter}`, sql`nullif(count(${v})${filter}, 0)::numeric`);
}
