/** Writes the changes of columns of existing tables, so that others wait as little as possible. */
import type { AddColumn, Change, ChangeNullability, ChangeOf } from '../../change/change.ts';
import { decimalText, digitsOfColumn, isWithin } from '../../definition/digits.ts';
import { type Column, itemTypeOf, type Table } from '../../definition/schema.ts';
import { quotedText } from '../../definition/sql/literals.ts';
import { hasDigits } from '../../definition/sql/overflow.ts';
import { quotedName, sql } from '../../definition/sql/sql.ts';
import { columnOf, copiedSql } from '../sql/conversions.ts';
import { columnSql, defaultSql } from '../sql/schema-sql.ts';
import { noRow } from './enums.ts';
import { altered, later, lock, mayFail, type Phase, type PhasedStep, scan, undoneBy } from './phased-step.ts';

/**
 * Adds a column. If its rows are filled in batches, it is required only afterwards; rows that come in the meantime have
 * its default. `unwritten` are other checks before it is dropped again.
 */
export function addColumn(change: AddColumn, unwritten: readonly PhasedStep[]): readonly PhasedStep[] {
  const { table, column, fill, copiedFrom, isLater } = change;
  const isFilled = fill !== null || copiedFrom !== null;
  // A row of the previous release that has the default would not be copied. Once a trigger copies, it has none.
  const defaultPhase = copiedFrom === null ? 'alter' : 'link';
  const says = `add the column "${column.name}" to "${table.name}"`;
  const bare: Column = { ...column, nullable: true, default: null };
  const lacksValue = !isFilled && !column.nullable && column.default === null;
  const failure = lacksValue ? [mayFail(`rows in "${table.name}" would have no value in "${column.name}"`)] : [];
  const add = `ADD COLUMN ${columnSql(table, isFilled ? bare : column)}`;
  const added = altered('alter', table.name, add, says, [lock(table.name), ...failure]);
  const drop = `DROP COLUMN ${quotedName(column.name)}`;
  const gone = altered('drop-column', table.name, drop, `drop the column "${column.name}" of "${table.name}"`);
  return [
    ...fittingDigits(change),
    undoneBy(added, ...unwrittenNew(change), ...unwritten, gone),
    ...(isFilled && column.default !== null ? [undoneBy(setDefault(table.name, column, defaultPhase))] : []),
    ...(isFilled && !column.nullable ? requiredWhenFilled(table, column, isLater) : []),
  ];
}

/** A value that has other digits would be rounded or refused, in the middle of the migration. */
function fittingDigits({ table: { name: table }, column, copiedFrom }: AddColumn): readonly PhasedStep[] {
  const item = itemTypeOf(column.type);
  const digits = digitsOfColumn(item ?? column.type);
  if (!digits || !copiedFrom || isWithin(digitsOfColumn(copiedFrom.from), digits)) return [];
  const value = columnOf('r', copiedFrom.column);
  const fits = item
    ? `(SELECT coalesce(bool_and(${hasDigits(sql`item`, digits).text}), TRUE) FROM unnest(${value.text}) AS item)`
    : `(${hasDigits(sql`${value}::numeric`, digits).text})`;
  const why = `records in "${table}" have values in "${column.name}" that do not fit into ${decimalText(digits)}`;
  const advice = 'Round these values first, with the release before, or allow more digits.';
  const says = `make sure that the values of "${column.name}" of "${table}" fit into ${decimalText(digits)}`;
  return [undoneBy(noRow('check-fill', table, `${quotedName(table)} AS r WHERE NOT ${fits}`, { says, why, advice }))];
}

/** The filling itself promises it, unless that can be done only later. */
function requiredWhenFilled(table: Table, column: Column, isLater: boolean | undefined): readonly PhasedStep[] {
  const now = required(table, column, false);
  return isLater ? later([promised('promise', table, column), ...now]) : now;
}

export function changeNullability({ table, column, fill, isLater }: ChangeNullability): readonly PhasedStep[] {
  if (column.nullable) {
    const says = `let "${column.name}" of "${table.name}" be null`;
    const undo = requiredAgain(table.name, column.name, requiredName(table, column));
    return [undoneBy(nullAllowed('alter', table.name, column.name, says), ...undo)];
  }
  if (fill) return requiredWhenFilled(table, column, isLater);
  const [proof, notNull, unchecked] = required(table, column, true);
  const proved = nothingIsNull(table, column, 'prove');
  // Nobody writes meanwhile, so no check has to stand in for NOT NULL.
  if (!isLater) return [proved, notNull];
  const check = nothingIsNull(table, column, 'check');
  return [proved, ...later([check, promised('promise', table, column), proof, notNull, unchecked])];
}

/**
 * Checks that no row is null in a column that becomes required: now, and if that is later, once more before anything is
 * removed, because the previous release may have left it out in the meantime.
 */
function nothingIsNull({ name: table }: Table, { name }: Column, phase: 'prove' | 'check'): PhasedStep {
  const why = `rows in "${table}" have no value in "${name}", which this release requires`;
  const advice = `Give these records a value first, or write a \`backfill\` in the reference.`;
  const says = `make sure that every row of "${table}" has a value in "${name}"`;
  return undoneBy(noRow(phase, table, `${quotedName(table)} WHERE ${quotedName(name)} IS NULL`, { says, why, advice }));
}

/** Adds a check that no new row is without a value. Checking the existing rows takes longer, and comes later. */
export function promised(phase: Phase, table: Table, column: Column): PhasedStep {
  const check = requiredName(table, column);
  const says = `let rows of "${table.name}" be without "${column.name}" again`;
  const gone = altered(phase, table.name, `DROP CONSTRAINT IF EXISTS ${check}`, says);
  return undoneBy(checked(phase, table.name, column.name, check), gone);
}

function checked(phase: Phase, table: string, column: string, check: string): PhasedStep {
  const act = `ADD CONSTRAINT ${check} CHECK (${quotedName(column)} IS NOT NULL) NOT VALID`;
  return altered(phase, table, act, `let no new row of "${table}" be without "${column}"`);
}

/**
 * The name of the check. No other key begins with `kiln_`, and whatever the name of the column, this fits into 63
 * bytes.
 */
function requiredName({ columns }: Table, column: Column): string {
  return quotedName(`kiln_required_${columns.indexOf(column)}`);
}

function required(table: Table, column: Column, mayBeNull: boolean): readonly [PhasedStep, PhasedStep, PhasedStep] {
  const [proof, notNull, unchecked] = requiredByCheck(table.name, column.name, requiredName(table, column), mayBeNull);
  const says = `let "${column.name}" of "${table.name}" be null again`;
  const nullable = nullAllowed('require', table.name, column.name, says);
  return [undoneBy(proof), undoneBy(notNull, nullable), undoneBy(unchecked)];
}

/** The check is validated while others write; then NOT NULL is believed without another look at the rows. */
function requiredByCheck(
  table: string,
  column: string,
  check: string,
  mayBeNull: boolean,
): readonly [PhasedStep, PhasedStep, PhasedStep] {
  const failure = mayBeNull ? [mayFail(`rows in "${table}" may have no value in "${column}"`)] : [];
  const hazards = [lock(table, 'SHARE UPDATE EXCLUSIVE'), scan(table), ...failure];
  const says = `make sure that every row of "${table}" has a value in "${column}"`;
  const require = `ALTER COLUMN ${quotedName(column)} SET NOT NULL`;
  return [
    altered('prove', table, `VALIDATE CONSTRAINT ${check}`, says, hazards),
    altered('require', table, require, `make "${column}" of "${table}" required`),
    altered('require', table, `DROP CONSTRAINT ${check}`, 'drop the check, which is no longer needed'),
  ];
}

/** Makes a column required again. `check` is a quoted name that no other constraint has. */
export function requiredAgain(table: string, column: string, check: string): readonly PhasedStep[] {
  return [checked('promise', table, column, check), ...requiredByCheck(table, column, check, true)];
}

export function nullAllowed(phase: Phase, table: string, column: string, says: string): PhasedStep {
  return altered(phase, table, `ALTER COLUMN ${quotedName(column)} DROP NOT NULL`, says);
}

export function changeDefault({ table, column, was }: ChangeOf<'change-default'>): readonly PhasedStep[] {
  return [undoneBy(setDefault(table, column), setDefault(table, { ...column, default: was }))];
}

function setDefault(table: string, { name, type, default: value }: Column, phase: Phase = 'alter'): PhasedStep {
  const act = value === null ? 'DROP DEFAULT' : `SET DEFAULT ${defaultSql(value, type)}`;
  const says =
    value === null ? `take the default from "${name}" of "${table}"` : `give "${name}" of "${table}" a default`;
  return altered(phase, table, `ALTER COLUMN ${quotedName(name)} ${act}`, says);
}

// Servers of a release are not ready before it is complete, but what they write nevertheless must not be lost when the
// release is undone. Each check reads every row, so it is a step of its own.

interface Written {
  /** Selects the rows that have such a value. */
  readonly condition: string;
  /** The value that means that nothing was written. */
  readonly none: 'null' | 'its default';
  readonly when?: string;
}

function unwritten({ name: table }: Table, { name }: Column, { condition, none, when = '' }: Written): PhasedStep {
  const why = `records in "${table}" have values in "${name}", which is to be dropped again`;
  const advice = `Save these values, if somebody needs them. Then set the column to ${none} in these records.`;
  const says = `make sure that nobody has written to "${name}" of "${table}"${when}`;
  return noRow('check', table, `${quotedName(table)} AS r WHERE ${condition}`, { says, why, advice });
}

/**
 * Checks that nothing was written to a new column without a fill. A text that is not null may be a default that was
 * normalised.
 */
function unwrittenNew({ table, column, fill, copiedFrom }: AddColumn): readonly PhasedStep[] {
  const { type, nullable, default: value } = column;
  const { text: name } = columnOf('r', column.name);
  if (fill !== null || copiedFrom !== null) return [];
  if (value === null)
    return nullable ? [unwritten(table, column, { condition: `${name} IS NOT NULL`, none: 'null' })] : [];
  if (value.kind !== 'value' || type === 'text' || itemTypeOf(type) === 'text') return [];
  const condition = `${name} IS DISTINCT FROM ${defaultSql(value, type)}`;
  return [unwritten(table, column, { condition, none: 'its default' })];
}

/**
 * Checks a column of another type, while a trigger copies the values that the previous release writes. It may be null
 * by then.
 */
export function unwrittenCopy(change: AddColumn, all: readonly Change[]): readonly PhasedStep[] {
  return copyCheck(change, all, (condition) => ({ condition, none: 'null' }));
}

/**
 * Checks a column whose values were never copied, because the release was stopped before. Only then the `routine` that
 * follows the previous release is missing. Once the trigger is gone, a copied value may just be out of date.
 */
export function unwrittenBeforeCopy(change: AddColumn, all: readonly Change[], routine: string): readonly PhasedStep[] {
  const isNotCopied = `to_regprocedure(${quotedText(`${routine}()`)}) IS NULL`;
  return copyCheck(change, all, (condition) => ({
    condition: `${isNotCopied} AND ${condition}`,
    none: 'null',
    when: ' before its values were copied',
  }));
}

/**
 * Checks copied values. Values other than the copied ones are from this release, unless something else has changed
 * them.
 */
function copyCheck(
  { table, column, fill, copiedFrom }: AddColumn,
  all: readonly Change[],
  writtenWhere: (condition: string) => Written,
): readonly PhasedStep[] {
  if (copiedFrom === null || copiedFrom.refersTo !== null || fill !== null) return [];
  if (all.some((change) => change.kind === 'normalise-values' && change.column === column)) return [];
  const { text: name } = columnOf('r', column.name);
  const { from, values } = copiedFrom;
  const { text: copied } = copiedSql(columnOf('r', copiedFrom.column), { from, to: column.type, values });
  return [unwritten(table, column, writtenWhere(`${name} IS NOT NULL AND ${name} IS DISTINCT FROM ${copied}`))];
}
