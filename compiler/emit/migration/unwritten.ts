/**
 * Servers of a release are not ready before it is complete, but what they write nevertheless must not be lost when the
 * release is undone. Each check reads every row, so it is a step of its own.
 */
import type { AddColumn, Change } from '../../change/change.ts';
import { type Column, itemTypeOf, type Table } from '../../definition/schema.ts';
import { quotedName } from '../../definition/sql/names.ts';
import { columnOf } from '../sql/conversions.ts';
import { quotedText } from '../sql/literals.ts';
import { defaultSql } from '../sql/schema-sql.ts';
import { copiedSql } from '../sql/takeovers.ts';
import { COUNTED, raiseIf } from './enums.ts';
import { mayFail, type PhasedStep, scan, within } from './phased-step.ts';

interface Written {
  /** Selects the rows that have such a value. */
  readonly condition: string;
  /** What is no such value in any row. */
  readonly none: 'null' | 'its default';
  readonly when?: string;
}

function unwritten({ name: table }: Table, { name }: Column, { condition, none, when = '' }: Written): PhasedStep {
  const why = `records in "${table}" have values in "${name}", which is to be dropped again`;
  const found = `SELECT ${COUNTED} FROM ${quotedName(table)} AS r WHERE ${condition} HAVING count(*) > 0`;
  const advice = `Save these values, if somebody needs them. Then set the column to ${none} in these records.`;
  const says = `make sure that nobody has written to "${name}" of "${table}"${when}`;
  return within('check', raiseIf(found, why, advice), says, [scan(table), mayFail(why)]);
}

/** Of a column that nothing is filled into. A text that is not null may be a default that was normalised. */
export function unwrittenNew({ table, column, fill, copiedFrom }: AddColumn): readonly PhasedStep[] {
  const { type, nullable, default: value } = column;
  const { text: name } = columnOf('r', column.name);
  if (fill !== null || copiedFrom !== null) return [];
  if (value === null) {
    return nullable ? [unwritten(table, column, { condition: `${name} IS NOT NULL`, none: 'null' })] : [];
  }
  if (value.kind !== 'value' || type === 'text' || itemTypeOf(type) === 'text') return [];
  const condition = `${name} IS DISTINCT FROM ${defaultSql(value, type)}`;
  return [unwritten(table, column, { condition, none: 'its default' })];
}

/** Of a column of another type, while a trigger gives it what the previous release writes. It may be null by then. */
export function unwrittenCopy(change: AddColumn, all: readonly Change[]): readonly PhasedStep[] {
  return copyCheck(change, all, (condition) => ({ condition, none: 'null' }));
}

/**
 * Where its values were never copied, because the release was stopped before. Only then is the `routine` missing that
 * follows the previous release. Once the trigger is gone, a copied value may just be out of date.
 */
export function unwrittenBeforeCopy(change: AddColumn, all: readonly Change[], routine: string): readonly PhasedStep[] {
  const isNotCopied = `to_regprocedure(${quotedText(`${routine}()`)}) IS NULL`;
  return copyCheck(change, all, (condition) => ({
    condition: `${isNotCopied} AND ${condition}`,
    none: 'null',
    when: ' before its values were copied',
  }));
}

/** Other values than the copied ones are from this release, unless something else has changed them. */
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
