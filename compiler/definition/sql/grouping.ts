/**
 * Records as groups. The keys of each record, and the aggregated values, are columns of a select of its own, so that
 * every value is bound once: two parameters are never the same expression to Postgres.
 */

import type { Grouping } from '../endpoint.ts';
import type { Expression, Fold, GroupKey, OrderItem } from '../expression.ts';
import { foldSql } from './expression-sql.ts';
import { Frame, type Row } from './frame.ts';
import { orderItem } from './paths.ts';
import { guarded, joined, type Name, quotedName, type Sql, sql } from './sql.ts';

interface Groups {
  /** The row over which the values of groups are computed. */
  readonly row: Row;
  readonly groupBy: Sql;
  readonly order: Sql | null;
}

/** A value of each record, under its name in the inner select. */
interface Column {
  readonly value: Sql;
  readonly name: Name;
}

/** The groups of the records of `found`. */
export function groupsOf({ keys, select, orderBy }: Grouping, found: Row): Groups {
  const { building } = found.frame;
  const keyColumns = new Map(keys.map(({ name, value }, at) => [name, columnOf(value, `#key${at}`, found)]));
  const folded = foldedValues([...select, ...orderBy].map(({ value }) => value));
  const values = new Map(folded.map((value, at) => [value, columnOf(value, `#value${at}`, found)]));
  const columns = [...keyColumns.values(), ...values.values()].map(({ value, name }) => sql`${value} AS ${name}`);
  const inner = found.frame.select(columns.length === 0 ? sql`1` : joined(columns, ', '));
  const ofGroup = (expression: GroupKey | Fold): Sql => {
    if (expression.kind === 'key') return read(keyColumns.get(expression.name), row);
    return foldSql(expression, expression.value === null ? sql`*` : read(values.get(expression.value), row));
  };
  const row: Row = new Frame({ ...building, ofGroup }).addSelect(inner, found.model.definition.name);
  const groupBy = joined(
    [...keyColumns.values()].map((column) => read(column, row)),
    ', ',
  );
  return { row, groupBy: sql`(${groupBy})`, order: orderOf(orderBy, row) };
}

function columnOf(value: Expression, name: string, row: Row): Column {
  return { value: row.frame.building.value(value, row), name: quotedName(name) };
}

function read(column: Column | undefined, { alias }: Row): Sql {
  if (!column) throw new Error('a group has no such value');
  const name = sql`${alias}.${column.name}`;
  return column.value.guarded ? guarded(name, name) : name;
}

function orderOf(orderBy: readonly OrderItem[], row: Row): Sql | null {
  if (orderBy.length === 0) return null;
  return joined(
    orderBy.map((item) => orderItem(row.frame.building.value(item.value, row), item)),
    ', ',
  );
}

/** Collects the aggregated values in these expressions. */
function foldedValues(part: unknown): readonly Expression[] {
  if (typeof part !== 'object' || part === null) return [];
  const { kind, value } = part as { readonly kind?: unknown; readonly value?: Expression | null };
  if (kind === 'fold') return value ? [value] : [];
  return Object.values(part).flatMap(foldedValues);
}
