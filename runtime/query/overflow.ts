/**
 * Arithmetic of rows that may go out of range. A statement has it twice: as it is, and in a form that gives null instead of
 * an error, which is used only where the first one has failed. The guarded form has each operand once, in a select of its
 * own: OFFSET 0 keeps the planner from writing it out again.
 */
import { guardedForm, joined, raw, type Sql, sql } from './sql.ts';

export function guarded(plain: Sql, instead: Sql): Sql {
  return { text: plain.text, parameters: plain.parameters, guarded: guardedForm(instead) };
}

/** The operands by name, and what is made of them. */
function given(operands: Sql, result: string): Sql {
  return sql`(SELECT ${result} FROM (SELECT ${operands} OFFSET 0) AS "#guard")`;
}

function where(condition: string, result: string): string {
  return `CASE WHEN ${condition} THEN ${result} END`;
}

// ── Conditions ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A comparison that takes null for a value like any other. Where an operand that is surely there was out of range, it is
 * null, so that neither the condition nor its opposite holds.
 */
export function decided(condition: Sql, ...operands: readonly (readonly [value: Sql, isSurelyThere: boolean])[]): Sql {
  const risky = operands.filter(([value, isSurelyThere]) => isSurelyThere && value.guarded !== undefined);
  if (risky.length === 0) return condition;
  const isWhole = joined(
    risky.map(([value]) => sql`${value} IS NOT NULL`),
    ' AND ',
  );
  return guarded(condition, sql`CASE WHEN ${isWhole} THEN ${condition} END`);
}

// ── Functions that put something in the place of null ───────────────────────────────────────────────────────────────

/** What is null only because it was out of range makes no text of what is left. */
export function concatenated(values: readonly Sql[], surelyThere: readonly boolean[]): Sql {
  const plain = sql`concat(${joined(values, ', ')})`;
  const names = values.map((_, at) => `v${at}`);
  const needed = names.filter((_, at) => surelyThere[at] && values[at]?.guarded);
  if (needed.length === 0) return plain;
  const columns = values.map((value, at) => sql`${value} AS v${String(at)}`);
  const isWhole = needed.map((name) => `${name} IS NOT NULL`).join(' AND ');
  return guarded(plain, given(joined(columns, ', '), where(isWhole, `concat(${names.join(', ')})`)));
}

/** Behind a value that is surely there nothing is looked at, also where that one was out of range. */
export function firstPresent(values: readonly Sql[], surelyThere: readonly boolean[]): Sql {
  const plain = sql`coalesce(${joined(values, ', ')})`;
  const last = surelyThere.indexOf(true);
  if (last < 0 || !values[last]?.guarded) return plain;
  return guarded(plain, sql`coalesce(${joined(values.slice(0, last + 1), ', ')})`);
}

// ── Integers ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** From a `numeric`. */
export function integerFrom(value: Sql): Sql {
  return given(sql`${value} AS v`, where('v BETWEEN -9223372036854775808 AND 9223372036854775807', 'v::bigint'));
}

export function integerOperation(left: Sql, operator: '+' | '-' | '*', right: Sql): Sql {
  return guarded(
    sql`(${left} ${operator} ${right})`,
    integerFrom(sql`(${left})::numeric ${operator} (${right})::numeric`),
  );
}

/** `-` or `abs`, which the smallest integer has no result for. */
export function integerSign(plain: Sql, name: '-' | 'abs', value: Sql): Sql {
  return guarded(plain, integerFrom(sql`${name}((${value})::numeric)`));
}

/** From a float that is whole. */
export function integerFromFloat(value: Sql): Sql {
  const fits = 'v >= -9223372036854775808 AND v < 9223372036854775808';
  return guarded(sql`${value}::bigint`, given(sql`${value} AS v`, where(fits, 'v::bigint')));
}

// ── Floats ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A little less than the largest float, because what is compared with it is rounded otherwise. */
const LARGEST = '1.79769313486231e308';
/** More than half of the smallest float, which is rounded up to it. */
const SMALLEST = '3e-324';

/** From a `numeric`. */
export function floatFrom(value: Sql): Sql {
  const fits = `v = 0 OR abs(v) BETWEEN ${SMALLEST} AND ${LARGEST}`;
  return given(sql`${value} AS v`, where(fits, 'v::double precision'));
}

export function floatFromDecimal(value: Sql): Sql {
  return guarded(sql`(${value}::double precision)`, floatFrom(value));
}

/** A divisor of zero has been made null before. */
export function floatOperation(left: Sql, operator: '+' | '-' | '*' | '/', right: Sql): Sql {
  const exactly = `abs(l::text::numeric ${operator} r::text::numeric)`;
  const isLarge = operator === '+' || operator === '-' ? '' : ` AND (l = 0 OR r = 0 OR ${exactly} > ${SMALLEST})`;
  const fits = `${exactly} < ${LARGEST}${isLarge}`;
  return guarded(
    sql`(${left} ${operator} ${right})`,
    given(sql`${left} AS l, ${right} AS r`, where(fits, `l ${operator} r`)),
  );
}

/** `rounded` takes the names of a value and of a scale. */
export function roundedFloat(value: Sql, digits: Sql, rounded: (value: Sql, scale: Sql) => Sql): Sql {
  const scale = (places: Sql) => sql`('1e' || ${places})::double precision`;
  const exactly = "abs(v::text::numeric * ('1e' || d)::numeric)";
  const fits = `v = 0 OR ${exactly} BETWEEN ${SMALLEST} AND ${LARGEST}`;
  const inRange = where('d BETWEEN -300 AND 300', where(fits, rounded(raw('v'), scale(raw('d'))).text));
  return guarded(rounded(value, scale(digits)), given(sql`${value} AS v, ${digits} AS d`, inRange));
}

// ── Decimals ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a `numeric` can hold, in digits before the point. */
const MOST_DIGITS = 131_072;

function digitsOf(name: string): string {
  return `char_length(trunc(abs(${name}))::text)`;
}

export function decimalOperation(left: Sql, operator: '+' | '-' | '*', right: Sql): Sql {
  const fits =
    operator === '*'
      ? `${digitsOf('l')} + ${digitsOf('r')} <= ${MOST_DIGITS}`
      : `greatest(${digitsOf('l')}, ${digitsOf('r')}) < ${MOST_DIGITS}`;
  return guarded(
    sql`(${left} ${operator} ${right})`,
    given(sql`${left} AS l, ${right} AS r`, where(fits, `l ${operator} r`)),
  );
}

export function roundedDecimal(value: Sql, digits: Sql): Sql {
  const rounded = where(`${digitsOf('v')} < ${MOST_DIGITS}`, 'round(v, d)');
  return guarded(sql`round(${value}, ${digits}::integer)`, given(sql`${value} AS v, ${places(digits)} AS d`, rounded));
}

/** As many as `round` takes: further ones change nothing. */
export function places(digits: Sql): Sql {
  return sql`least(greatest(${digits}, -2147483647), 2147483647)::integer`;
}

// ── Over many records ───────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Of the values `v`. It is null as soon as one of them is so long that the sum of many could be too long, or, where all of
 * them should be there, as soon as one was out of range itself.
 */
export function foldOf(
  name: 'sum' | 'avg' | 'min' | 'max',
  { isDecimal, isComplete }: { readonly isDecimal: boolean; readonly isComplete: boolean },
): string {
  const isShort = `${digitsOf('v')} < ${MOST_DIGITS - 20}`;
  const isCounted = isDecimal && (name === 'sum' || name === 'avg');
  const folded = `${name}(v)${isCounted ? ` FILTER (WHERE ${isShort})` : ''}`;
  const conditions = [...(isCounted ? [isShort] : []), ...(isComplete ? ['v IS NOT NULL'] : [])];
  const orZero = name === 'sum' ? `coalesce(${folded}, 0)` : folded;
  return conditions.length === 0 ? orZero : where(`coalesce(bool_and(${conditions.join(' AND ')}), TRUE)`, orZero);
}
