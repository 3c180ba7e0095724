/** One record: all its values, the records that refer to it, and the endpoints that work on it. */

import { pathTemplate } from '../../../compiler/definition/contract/routes.ts';
import type { Endpoint, PathRecord } from '../../../compiler/definition/endpoint.ts';
import { integer, joined, quotedName, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { DataRow } from '../../query/data-row.ts';
import type { DataConnection } from '../../query/database.ts';
import { binderOf, valueFromText } from '../../values/kinds.ts';
import { labelReader, labelSql, type Reader, rowReader, together } from './cells.ts';
import { countOf } from './counts.ts';
import type { DataRecord, RecordOperation, Referrers } from './data-forms.ts';
import { columnOf, type DataModels, type KnownModel } from './data-models.ts';
import { execute, value } from './data-statements.ts';

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
  hidden: readonly string[],
): Promise<DataRecord> {
  const row = sql`"#row"`;
  const cells = rowReader(known, row, 'record', hidden);
  const labels = labelReader(known, row);
  const operations = operationReader(known);
  const columns = [labelSql(known, row), ...cells.columns, ...labels.columns, ...operations.columns];
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
    operations: operations
      .read(found, 1 + cells.columns.length + labels.columns.length)
      .filter((operation) => operation !== null),
    referredBy: await referrersOf(connection, known, id),
  };
}

/** Shown of each kind. */
const FEW = 5;
/** The limit of records that are counted, of each kind. */
const MOST = 1000;

async function referrersOf(connection: DataConnection, known: KnownModel, id: string): Promise<readonly Referrers[]> {
  const found: Referrers[] = [];
  for (const { model, column, reference } of known.referredBy) {
    const from = known.models.model(model);
    const { sqlType, place, field } = columnOf(from, column);
    const condition = sql`${place(sql`"#from"`)} = ${value(binderOf(field.type)(id), sqlType)}`;
    found.push({ model, column, reference, ...(await referring(connection, from, condition)) });
  }
  return found;
}

async function referring(
  connection: DataConnection,
  from: KnownModel,
  condition: Sql,
): Promise<Pick<Referrers, 'total' | 'records'>> {
  const alias = sql`"#from"`;
  const total = await countOf(connection, sql`FROM ${from.table} AS "#from" WHERE ${condition}`, MOST);
  const { rows } = await execute(
    connection,
    sql`SELECT ${alias}.${from.id.name}, ${labelSql(from, alias)} FROM ${from.table} AS "#from" WHERE ${condition} ORDER BY 1 LIMIT ${integer(FEW)}`,
  );
  return { total, records: rows.map((row) => ({ id: row.text(0) as string, label: row.text(1) })) };
}

// ── Operations of a record ───────────────────────────────────────────────────────────────────────────────────────────

// The endpoints of the API that read, change or delete a record, with the parameters that lead there. The parameters of
// the records around it are found through its references: a comment's path has the slug of its post.

/** Endpoints that create a record of the model, and whose paths name no record. */
export function createOperations({ model, models }: KnownModel): readonly RecordOperation[] {
  return models.definition.endpoints
    .filter((endpoint) => endpoint.model === model.name && endpoint.kind === 'create' && endpoint.records.length === 0)
    .map((endpoint) => operationOf(endpoint, []));
}

/** Reads operations from a row that is called `#row`. Null for an operation with a missing parameter. */
function operationReader({ model: { name }, models }: KnownModel): Reader<readonly (RecordOperation | null)[]> {
  const endpoints = models.definition.endpoints
    .filter(({ cardinality, records }) => cardinality === 'one' && records.at(-1)?.model === name)
    .filter(({ response }) => response.kind !== 'upload')
    .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  return together(endpoints.flatMap((endpoint) => locatedAt(endpoint, models)));
}

/** The kinds, in the order in which they are shown. */
const KINDS: readonly Endpoint['kind'][] = ['get', 'update', 'custom', 'delete'];

function operationOf(
  { kind, method, path }: Endpoint,
  values: readonly (readonly [string, string | null])[],
): RecordOperation {
  const parameters = Object.fromEntries(values) as Record<string, string>;
  return { kind: kind as RecordOperation['kind'], method, path: pathTemplate(path), parameters };
}

/** Reads the operation of an endpoint; empty where its path cannot be derived from the record alone. */
function locatedAt(endpoint: Endpoint, models: DataModels): readonly Reader<RecordOperation | null>[] {
  const names: string[] = [];
  const columns: Sql[] = [];
  let chain: readonly PathRecord[] = [];
  for (const record of endpoint.records.toReversed()) {
    if (record.identify === null || record.identify.path.length > 0 || record.origin !== undefined) return [];
    chain = [record, ...chain];
    names.unshift(record.identify.parameter);
    columns.unshift(fieldAt(chain, record.identify.field, models));
    if (record.through !== null && record.through.kind !== 'relation') return [];
  }
  const read = (row: DataRow, at: number): RecordOperation | null => {
    const values = names.map((name, index) => [name, row.text(at + index)] as const);
    return values.some(([, value]) => value === null) ? null : operationOf(endpoint, values);
  };
  return [{ columns, read }];
}

/**
 * A field of the first record of the chain, whose last one is the row itself. The key of each record leads to the one
 * around it.
 */
function fieldAt([first, ...inner]: readonly PathRecord[], name: string, models: DataModels): Sql {
  const known = models.model((first as PathRecord).model);
  const { place } = columnOf(known, name);
  const [next] = inner;
  if (!next) return place(sql`"#row"`);
  const alias = sql`${quotedName(`#at${inner.length}`)}`;
  const key = fieldAt(inner, (next.through as { readonly field: string }).field, models);
  return sql`(SELECT ${place(alias)} FROM ${known.table} AS ${alias} WHERE ${alias}.${known.id.name} = ${key})`;
}
