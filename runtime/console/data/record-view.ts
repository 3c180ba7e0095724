/** One record: all its values, the records that refer to it, and the endpoints that work on it. */
import { integer, joined, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { DataConnection } from '../../query/database.ts';
import { binderOf, valueFromText } from '../../values/kinds.ts';
import { rowReader } from './cells.ts';
import { bounded, upTo } from './counts.ts';
import type { DataRecord, Referrers } from './data-forms.ts';
import { columnOf, type DataModels, type KnownModel } from './data-models.ts';
import { execute, value } from './data-statements.ts';
import { labelReader, labelSql } from './labels.ts';
import { operationReader } from './record-operations.ts';

/** The row whose id this is. What is no id of the model names no record. */
export function idCondition(known: KnownModel, id: string, of: Sql): Sql {
  const { field, name, sqlType } = known.id;
  const checked = valueFromText(id, field.type, () => []);
  if (!checked.ok) throw missingRecord(known, id);
  return sql`${of}.${name} = ${value(binderOf(field.type)(checked.value), sqlType)}`;
}

export function missingRecord({ model }: KnownModel, id: string): ApiError {
  return new ApiError('not-found', { detail: `There is no \`${model.name}\` with the id ${id}.` });
}

export async function readRecord(
  connection: DataConnection,
  known: KnownModel,
  id: string,
  models: DataModels,
): Promise<DataRecord> {
  const row = sql`"#row"`;
  const cells = rowReader(known.columns, row, 'record');
  const labels = labelReader(known, row, models);
  const operations = operationReader(known, models);
  const columns = [labelSql(known, row, models), ...cells.columns, ...labels.columns, ...operations.columns];
  const condition = idCondition(known, id, row);
  const { rows } = await execute(
    connection,
    sql`SELECT ${joined(columns, ', ')} FROM (SELECT * FROM ${known.table} AS "#row" WHERE ${condition}) AS "#row"`,
  );
  const found = rows[0];
  if (!found) throw missingRecord(known, id);
  // The label is in front; every reader counts from its own first column.
  const values = cells.read(found, 1);
  return {
    id,
    label: found.text(0),
    values,
    labels: labels.read([found], 1 + cells.columns.length),
    operations: operations.read(found, 1 + cells.columns.length + labels.columns.length),
    referredBy: await referrersOf(connection, known, id, models),
  };
}

/** Shown of each kind. */
const FEW = 5;
/** Counted of each kind. */
const MOST = 1000;

async function referrersOf(
  connection: DataConnection,
  known: KnownModel,
  id: string,
  models: DataModels,
): Promise<readonly Referrers[]> {
  const found: Referrers[] = [];
  for (const { model, column, reference } of known.referredBy) {
    const from = models.model(model);
    const { sqlType, name, field } = columnOf(from, column);
    const condition = sql`"#from".${name} = ${value(binderOf(field.type)(id), sqlType)}`;
    found.push({ model, column, reference, ...(await referring(connection, from, condition, models)) });
  }
  return found;
}

async function referring(
  connection: DataConnection,
  from: KnownModel,
  condition: Sql,
  models: DataModels,
): Promise<Pick<Referrers, 'total' | 'records'>> {
  const alias = sql`"#from"`;
  const total = sql`SELECT count(*) FROM (${bounded(sql`FROM ${from.table} AS "#from" WHERE ${condition}`, MOST)}) AS bounded`;
  const counted = await execute(connection, total);
  const { rows } = await execute(
    connection,
    sql`SELECT ${alias}.${from.id.name}, ${labelSql(from, alias, models)} FROM ${from.table} AS "#from" WHERE ${condition} ORDER BY 1 LIMIT ${integer(FEW)}`,
  );
  return {
    total: upTo(Number(counted.rows[0]?.text(0)), MOST),
    records: rows.map((row) => ({ id: row.text(0) as string, label: row.text(1) })),
  };
}
