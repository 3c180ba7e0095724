/** Values for rows that exist. One that is computed from another comes after it. */
import type { CopiedColumn, Fill, NormaliseValues } from '../../change/change.ts';
import type { Definition, Field, Model } from '../../definition/definition.ts';
import type { Expression } from '../../definition/expression.ts';
import type { Hazard, MigrationStep } from '../../definition/migration.ts';
import { fieldOf as itemOf, promisesRecord, readsOfValue } from '../../definition/read-items.ts';
import type { Column, Table } from '../../definition/schema.ts';
import { quotedName } from '../../definition/sql/sql.ts';
import { columnOf, copiedSql } from '../sql/conversions.ts';
import { storedSql } from '../sql/expressions.ts';
import { promised } from './columns.ts';
import { noRow } from './enums.ts';
import {
  type About,
  isAbout,
  later,
  lock,
  mayFail,
  type PhasedStep,
  scan,
  statementOf,
  undoneBy,
} from './phased-step.ts';

export interface ColumnFill {
  readonly table: Table;
  readonly column: Column;
  readonly fill: Fill;
  readonly isLater?: boolean;
  /** Whether the previous release has the column too. */
  readonly isInPlace?: boolean;
}

export interface ColumnCopy {
  readonly table: Table;
  readonly column: Column;
  readonly copiedFrom: CopiedColumn;
}

interface Fills {
  readonly takeovers: readonly ColumnCopy[];
  readonly normalised: readonly NormaliseValues[];
  readonly filled: readonly ColumnFill[];
}

/**
 * Fills columns: first the values that are taken over, then the normalised ones, because other values may be computed
 * from them.
 */
export function fills(
  { takeovers, normalised, filled: columns }: Fills,
  definition: Definition,
): readonly PhasedStep[] {
  const isFilled = ({ column }: ColumnCopy) => columns.some((other) => other.column === column);
  const passes = passesOf(inOrder(columns, definition), definition);
  return [
    ...columns.flatMap((fill) => isAbout(partOf(fill), checkedIds(fill, definition))),
    ...takeovers.flatMap((copy) => placed(copy, takenOver(copy, isFilled(copy), definition))),
    ...normalised.flatMap((change) => {
      const isInPlace = !takeovers.some(({ column }) => column === change.column);
      return placed(change, [normalisation(change, isInPlace, definition)]);
    }),
    ...passes.flatMap((pass) => placed(pass[0], filled(pass, definition))),
    ...later(passes.flatMap((pass) => placed(pass[0], filledLater(pass, definition)))),
  ];
}

/** Columns of one table that are filled together: at least one, and none of them is computed from another. */
type Pass = readonly [ColumnFill, ...ColumnFill[]];

function passesOf(ordered: readonly ColumnFill[], definition: Definition): readonly Pass[] {
  const passes: [ColumnFill, ...ColumnFill[]][] = [];
  for (const fill of ordered) {
    const last = passes.at(-1);
    if (last && isFilledWith(fill, last, definition)) last.push(fill);
    else passes.push([fill]);
  }
  return passes;
}

function isFilledWith(column: ColumnFill, pass: Pass, definition: Definition): boolean {
  const [{ table, isLater = false }] = pass;
  const reads = readsOfValue(column.fill.value, column.fill.model, definition);
  const isSame = column.table === table && (column.isLater ?? false) === isLater;
  return isSame && !pass.some(({ fill }) => reads.has(itemOf(fill.model, fill.field)));
}

type TableColumn = Pick<ColumnFill, 'table' | 'column'>;

function partOf({ table, column }: TableColumn): About {
  return { kind: 'part', table: table.name, column: column.name };
}

function placed(column: TableColumn, steps: readonly PhasedStep[]): readonly PhasedStep[] {
  return isAbout(partOf(column), steps);
}

/** Takes over values. Triggers copy what is written from now on, so that one pass is enough. */
function takenOver(
  { table, column, copiedFrom }: ColumnCopy,
  isFilled: boolean,
  definition: Definition,
): readonly PhasedStep[] {
  const { from, values } = copiedFrom;
  const value = copiedSql(columnOf('r', copiedFrom.column), { from, to: column.type, values }).text;
  const name = columnOf('r', column.name).text;
  const isStillPending = `${name} IS NULL`;
  const isPending = `${isStillPending} AND ${value} IS NOT NULL`;
  const says = `give "${column.name}" of "${table.name}" the values that it had as another type`;
  const model = definition.models.find((candidate) => candidate.table === table.name) as Model;
  const step = inBatches(model, [{ column, value, isPending, isStillPending }], { says, hazards: [] });
  return column.nullable || isFilled ? [step] : [step, promised('fill', table, column)];
}

/**
 * Fills a pass. The previous release continues to write rows without the columns. So required columns are filled, then
 * checked for new rows, then filled again for rows that came in between. The passes run one after the other, because
 * the check of a later one would reject rows.
 */
function filled(pass: Pass, definition: Definition): readonly PhasedStep[] {
  const [{ table, isLater }] = pass;
  const [required, ...others] = pass.filter(({ column }) => !column.nullable);
  const first = backfill(pass, definition, `fill ${namesOf(pass)} of the rows that "${table.name}" has`);
  if (required === undefined) return [first];
  const promisedPass: Pass = [required, ...others];
  const checks = promisedPass.flatMap((fill) => promisedRecords(fill, definition));
  if (isLater) return [first, ...checks];
  const promises = promisedPass.map(({ column }) => promised('fill', table, column));
  return [first, ...checks, ...promises, rest(promisedPass, definition)];
}

/** Fills the rest when the previous release is gone: values that it may have left open must exist by then. */
function filledLater(pass: Pass, definition: Definition): readonly PhasedStep[] {
  const [{ isLater }] = pass;
  return isLater ? [rest(pass, definition), ...pass.flatMap((fill) => promisedRecords(fill, definition))] : [];
}

function rest(pass: Pass, definition: Definition): PhasedStep {
  return backfill(pass, definition, `fill ${namesOf(pass)} of rows inserted in the meantime`);
}

function namesOf(pass: Pass): string {
  return pass.map(({ column }) => `"${column.name}"`).join(', ');
}

function promisedRecords(fill: ColumnFill, definition: Definition): readonly PhasedStep[] {
  return promisesRecord(fill.fill.value, definition) ? [nothingIsMissing(fill, definition)] : [];
}

/** Checks for missing values before null is rejected: until then the previous release can continue to write rows. */
function nothingIsMissing(columnFill: ColumnFill, definition: Definition): PhasedStep {
  const { name, value, model } = filling(columnFill, definition);
  const column = `"${columnFill.column.name}"`;
  const check = noRow('fill', model.table, `${rowsOf(model)} WHERE ${name} IS NULL AND ${value} IS NULL`, {
    says: `make sure that every row of "${model.table}" has its ${column}`,
    why: `the \`backfill\` of ${column} finds no record for some rows of "${model.table}"`,
    advice: 'A query in it ends in `one`. Create that record first.',
  });
  return undoneBy(check);
}

/**
 * Checks filled keys. A key that is no id would be rejected when it is filled in, and so would rows of the previous
 * release.
 */
function checkedIds(columnFill: ColumnFill, definition: Definition): readonly PhasedStep[] {
  const { table, column, fill } = columnFill;
  const key = table.foreignKeys.find((candidate) => candidate.column === column.name);
  if (!key || tableOfIds(fill.value, definition.models) === key.to.table) return [];
  const { name, value, model } = filling(columnFill, definition);
  const target = `SELECT FROM ${quotedName(key.to.table)} AS target WHERE target."id" = ${value}`;
  const isOther = `${name} IS NULL AND ${value} IS NOT NULL AND NOT EXISTS (${target})`;
  const check = noRow('check-fill', model.table, `${rowsOf(model)} WHERE ${isOther}`, {
    says: `make sure that "${column.name}" of "${table.name}" gets ids of "${key.to.table}"`,
    why: `the \`backfill\` of "${column.name}" gives some rows of "${table.name}" an id that is not in "${key.to.table}"`,
    advice: 'Create these records first, or correct the values that the ids come from.',
  });
  return [undoneBy(check)];
}

/** The table in which every id is that the expression gives; undefined where that is not known. */
function tableOfIds(value: Expression, models: Definition['models']): string | undefined {
  const modelNamed = (wanted: string | undefined) => models.find(({ name }) => name === wanted);
  if (value.kind === 'field') {
    const owner = modelNamed(value.model);
    if (value.field === 'id') return owner?.table;
    return modelNamed(owner?.references.find(({ field }) => field === value.field)?.to)?.table;
  }
  if (value.kind !== 'call' || (value.function !== 'coalesce' && value.function !== 'if')) return undefined;
  const values = value.function === 'if' ? value.arguments.slice(1) : value.arguments;
  const tables = new Set(values.map((each) => tableOfIds(each, models)));
  return tables.size === 1 ? [...tables][0] : undefined;
}

/** Fills rows in batches. Rows whose value would be null are not pending, or it would never end. */
function backfill(pass: Pass, definition: Definition, says: string): PhasedStep {
  const inPlace = pass.filter(({ isInPlace }) => isInPlace);
  const values = pass.map((fill): Value => {
    const { name, value, isSure } = filling(fill, definition);
    const isStillPending = `${name} IS NULL`;
    const isPending = isSure ? isStillPending : `${isStillPending} AND ${value} IS NOT NULL`;
    return { column: fill.column, value, isPending, isStillPending };
  });
  const remains = inPlace.length === 0 ? undefined : inPlace.map(filledInPlace);
  return inBatches(filling(pass[0], definition).model, values, { says, hazards: [], remains });
}

/** Normalises values. Those that have their form already are not changed, so a second run has nothing to do. */
function normalisation(change: NormaliseValues, isInPlace: boolean, definition: Definition): PhasedStep {
  const { table, column, isUnique } = change;
  const made = filling(change, definition);
  const says = `normalise the values of "${column.name}" in "${table.name}"`;
  const clash = mayFail(`rows in "${table.name}" may have the same "${column.name}" once it is normalised`);
  const hazards = [scan(table.name), ...(isUnique ? [clash] : [])];
  const isPending = `${made.name} <> ${made.value}`;
  const remains = isInPlace ? [normalisedInPlace(change)] : undefined;
  const value = { column, value: made.value, isPending, isStillPending: isPending };
  return inBatches(made.model, [value], { says, hazards, remains });
}

export function filledInPlace({ table, column }: TableColumn): string {
  return `rows of "${table.name}" that had no value in "${column.name}" keep the one that the \`backfill\` gave them`;
}

export function normalisedInPlace({ table, column }: TableColumn): string {
  return `values of "${column.name}" in "${table.name}" stay normalised`;
}

interface Filling {
  /** The column of the row `r`. */
  readonly name: string;
  readonly value: string;
  readonly isSure: boolean;
  readonly model: Model;
}

export function filling({ column, fill }: Pick<ColumnFill, 'column' | 'fill'>, definition: Definition): Filling {
  const model = definition.models.find(({ name }) => name === fill.model) as Model;
  const field = model.fields.find(({ name }) => name === fill.field) as Field;
  const value = storedSql(fill.value, field.type, model.name, definition);
  return { name: columnOf('r', column.name).text, value, isSure: fill.value.kind === 'literal', model };
}

interface Value {
  readonly column: Column;
  readonly value: string;
  readonly isPending: string;
  readonly isStillPending: string;
}

interface Batches {
  readonly says: string;
  readonly hazards: readonly Hazard[];
  readonly remains?: readonly string[] | undefined;
}

function inBatches(model: Model, values: readonly Value[], { says, hazards, remains }: Batches): PhasedStep {
  const idType = model.fields.find((field) => field.name === 'id')?.type.kind === 'uuid' ? 'uuid' : 'bigint';
  const isOne = values.length === 1;
  const sets = values.map(({ column, value, isStillPending }) => {
    const name = quotedName(column.name);
    return `${name} = ${isOne ? value : `CASE WHEN ${isStillPending} THEN ${value} ELSE r.${name} END`}`;
  });
  const any = (conditions: readonly string[]) => (isOne ? conditions[0] : `(${conditions.join(' OR ')})`);
  const isPending = any(values.map((each) => each.isPending));
  const isStillPending = any(values.map((each) => each.isStillPending));
  const update = `UPDATE ${rowsOf(model)} SET ${sets.join(', ')} WHERE r."id" = ANY ($1::${idType}[]) AND ${isStillPending};`;
  const columns = values.map(({ column }) => column.name);
  const step: MigrationStep = {
    kind: 'backfill',
    table: model.table,
    column: columns[0] as string,
    ...(isOne ? {} : { columns }),
    idType,
    pending: `SELECT r."id" FROM ${rowsOf(model)} WHERE r."id" > $2::${idType} AND ${isPending} ORDER BY r."id" LIMIT $1;`,
    statement: statementOf(update, says, [lock(model.table, 'ROW EXCLUSIVE'), ...hazards]),
  };
  return { phase: 'fill', step, undo: [], ...(remains === undefined ? {} : { remains }) };
}

function rowsOf({ table }: Model): string {
  return `${quotedName(table)} AS r`;
}

export function inOrder(columns: readonly ColumnFill[], definition: Definition): readonly ColumnFill[] {
  const byField = new Map(columns.map((column) => [itemOf(column.fill.model, column.fill.field), column]));
  const ordered = new Set<ColumnFill>();
  const visited = new Set<ColumnFill>();
  const visit = (column: ColumnFill): void => {
    if (visited.has(column)) return;
    visited.add(column);
    for (const read of readsOfValue(column.fill.value, column.fill.model, definition)) {
      const other = byField.get(read);
      if (other) visit(other);
    }
    ordered.add(column);
  };
  for (const column of columns) visit(column);
  return [...ordered];
}
