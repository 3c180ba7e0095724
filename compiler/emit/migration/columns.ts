/** How the changes of columns are written: on tables that exist, so that others wait as little as possible. */
import type { AddColumn, Change, ChangeNullability, ChangeType } from '../../change/change.ts';
import type { MigrationStep } from '../../definition/migration.ts';
import type { Column, Table } from '../../definition/schema.ts';
import { quotedName, typeName } from '../../definition/sql/names.ts';
import { conversionSql } from '../sql/conversions.ts';
import { columnSql, defaultSql } from '../sql/schema-sql.ts';
import { COUNTED, raiseIf } from './enums.ts';
import { isAbout, later, lock, mayFail, type PhasedStep, scan, statementOf, within } from './phased-step.ts';

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>;

/** A column whose rows are filled some at a time is required only afterwards; rows that come meanwhile have its default. */
export function addColumn({ table, column, fill, copiedFrom, isLater }: AddColumn): readonly PhasedStep[] {
  const isFilled = fill !== null || copiedFrom !== null;
  const says = `add the column "${column.name}" to "${table.name}"`;
  const bare: Column = { ...column, nullable: true, default: null };
  const sql = alter(table.name, `ADD COLUMN ${columnSql(table, isFilled ? bare : column)}`);
  const lacksValue = !isFilled && !column.nullable && column.default === null;
  const failure = lacksValue ? [mayFail(`rows in "${table.name}" would have no value in "${column.name}"`)] : [];
  return [
    within('alter', sql, says, [lock(table.name), ...failure]),
    ...(isFilled && column.default !== null ? setDefault(table.name, column) : []),
    ...(isFilled && !column.nullable ? requiredWhenFilled(table, column, isLater) : []),
  ];
}

/** The filling itself promises it, unless that can be done only later. */
function requiredWhenFilled(table: Table, column: Column, isLater: boolean | undefined): readonly PhasedStep[] {
  const now = required(table, column, false);
  return isLater ? later([{ phase: 'promise', step: promised(table, column) }, ...now]) : now;
}

export function changeNullability({ table, column, fill, isLater }: ChangeNullability): readonly PhasedStep[] {
  if (column.nullable) {
    const sql = alter(table.name, `ALTER COLUMN ${quotedName(column.name)} DROP NOT NULL`);
    return [within('alter', sql, `let "${column.name}" of "${table.name}" be null`, [lock(table.name)])];
  }
  if (fill) return requiredWhenFilled(table, column, isLater);
  const promise: PhasedStep = { phase: 'promise', step: promised(table, column) };
  const all = [promise, ...required(table, column, true)];
  if (!isLater) return all;
  return [nothingIsNull(table, column, 'prove'), ...later([nothingIsNull(table, column, 'check'), ...all])];
}

/**
 * It is required later; but whether it can be is told now, and then once more before anything is removed: meanwhile the
 * release before may have left it out.
 */
function nothingIsNull({ name: table }: Table, { name }: Column, phase: 'prove' | 'check'): PhasedStep {
  const why = `rows in "${table}" have no value in "${name}", which this release requires`;
  const found = `SELECT ${COUNTED} FROM ${quotedName(table)} WHERE ${quotedName(name)} IS NULL HAVING count(*) > 0`;
  const advice = `Give these records a value first, or write a \`backfill\` in the reference.`;
  return within(phase, raiseIf(found, why, advice), `make sure that every row of "${table}" has a value in "${name}"`, [
    scan(table),
    mayFail(why),
  ]);
}

/** From now on no row is without a value. Whether one was before is another question, and takes longer to answer. */
export function promised(table: Table, column: Column): MigrationStep {
  const check = `CHECK (${quotedName(column.name)} IS NOT NULL) NOT VALID`;
  const statement = statementOf(
    alter(table.name, `ADD CONSTRAINT ${checkName(table, column)} ${check}`),
    `let no new row of "${table.name}" be without "${column.name}"`,
    [lock(table.name)],
  );
  return { kind: 'transaction', statements: [statement] };
}

/** No key of ours begins with `kiln_`, and whatever the column is called, this fits into 63 bytes. */
function checkName({ columns }: Table, column: Column): string {
  return quotedName(`kiln_required_${columns.indexOf(column)}`);
}

/** The check is validated while others write; then NOT NULL is believed without another look at the rows. */
function required(table: Table, column: Column, mayBeNull: boolean): readonly PhasedStep[] {
  const { name } = column;
  const check = checkName(table, column);
  const failure = mayBeNull ? [mayFail(`rows in "${table.name}" may have no value in "${name}"`)] : [];
  return [
    within(
      'prove',
      alter(table.name, `VALIDATE CONSTRAINT ${check}`),
      `make sure that every row of "${table.name}" has a value in "${name}"`,
      [lock(table.name, 'SHARE UPDATE EXCLUSIVE'), scan(table.name), ...failure],
    ),
    within(
      'require',
      alter(table.name, `ALTER COLUMN ${quotedName(name)} SET NOT NULL`),
      `make "${name}" of "${table.name}" required`,
      [lock(table.name)],
    ),
    within('require', alter(table.name, `DROP CONSTRAINT ${check}`), 'drop the check, which is no longer needed', [
      lock(table.name),
    ]),
  ];
}

export type Retype = Omit<ChangeType, 'kind'>;

/** A table is written anew once, however many of its columns change their type. */
export function retypes(columns: readonly Retype[]): readonly PhasedStep[] {
  const tables = new Set(columns.map(({ table }) => table));
  return [...tables].flatMap((table) => {
    const own = columns.filter((column) => column.table === table);
    return isAbout({ kind: 'part', table, column: own[0]?.column.name ?? null }, [retyped(table, own)]);
  });
}

function retyped(table: string, columns: readonly Retype[]): PhasedStep {
  const says = columns.map(({ column }) => `"${column.name}" of "${table}" a ${typeName(column.type)}`);
  const hazards = [lock(table), { kind: 'rewrite', table } as const];
  return within('retype', alter(table, columns.flatMap(retypeSql).join(',\n  ')), `make ${says.join(', ')}`, hazards);
}

/** A default is of the old type, so it goes before and comes back after. */
function retypeSql({ column: { name, type, default: value }, from, hadDefault }: Retype): readonly string[] {
  const column = quotedName(name);
  return [
    ...(hadDefault ? [`ALTER COLUMN ${column} DROP DEFAULT`] : []),
    `ALTER COLUMN ${column} TYPE ${typeName(type)} USING ${conversionSql(column, from, type).text}`,
    ...(value ? [`ALTER COLUMN ${column} SET DEFAULT ${defaultSql(value, type)}`] : []),
  ];
}

export function changeDefault({ table, column }: Of<'change-default'>): readonly PhasedStep[] {
  return setDefault(table, column);
}

function setDefault(table: string, { name, type, default: value }: Column): readonly PhasedStep[] {
  const act = value === null ? 'DROP DEFAULT' : `SET DEFAULT ${defaultSql(value, type)}`;
  const sql = alter(table, `ALTER COLUMN ${quotedName(name)} ${act}`);
  const says =
    value === null ? `take the default from "${name}" of "${table}"` : `give "${name}" of "${table}" a default`;
  return [within('alter', sql, says, [lock(table)])];
}

export function dropColumn({ table, column, what }: Of<'drop-column'>): readonly PhasedStep[] {
  const sql = alter(table, `DROP COLUMN ${quotedName(column)}`);
  const says = `drop the column "${column}" of "${table}"`;
  return [within('drop-column', sql, says, [lock(table), { kind: 'data-loss', what }])];
}

function alter(table: string, act: string): string {
  return `ALTER TABLE ${quotedName(table)} ${act};`;
}
