/**
 * A list that may have more records than are read at once. Where it has few, it is read as any other list. Where it has more,
 * the ids of all its records are read first, in the order of the list: which records it has is of one moment. The records are
 * read by their ids, a part at a time, when the client has taken those before. One that the list does not have any more by then
 * is left out.
 */

import type { Buffer } from 'node:buffer';
import type { Selected } from '../../compiler/definition/expression.ts';
import { Frame } from '../../compiler/definition/sql/frame.ts';
import { limitOf, orderSql } from '../../compiler/definition/sql/paths.ts';
import { integer, sql } from '../../compiler/definition/sql/sql.ts';
import type { DataRow } from './data-row.ts';
import type { JsonSlices } from './json-form.ts';
import { type ChosenQuery, chosenRecords, firstOf, type ListReading } from './list.ts';
import { MOST_AT_ONCE, type RestOfRecords } from './list-parts.ts';
import { type Given, given, type Prepared, type QueryScope, run } from './prepared.ts';
import { jsonReadingOf } from './rows-json.ts';
import { Columns, partsOf } from './selection.ts';
import type { Statements } from './statements.ts';

/** Reads long lists, for requests without a transaction, which would be over while the list is sent. */
export function longListReadingOf(
  chosen: ChosenQuery,
  select: readonly Selected[],
  most: number,
  statements: Statements,
): ListReading {
  const few = firstOf(chosen, select, MOST_AT_ONCE + 1, statements);
  const readIds = idsReading(chosen, most, statements);
  const readJson = jsonByIds(chosen, select, statements);
  return async (scope, values = {}) => {
    const { rows } = await run(few.statement, scope, values);
    if (rows.length <= MOST_AT_ONCE) return { json: await few.json.list(rows, scope), isCut: false };
    const { ids, isCut } = await readIds(scope, values);
    return { json: await readJson(ids, scope, values), isCut };
  };
}

interface FoundIds {
  readonly ids: IdList;
  /** Whether there are more records than the list may have. */
  readonly isCut: boolean;
}

/** All of them are one value: a row for each would take several times the memory. */
function idsReading(
  chosen: ChosenQuery,
  most: number,
  statements: Statements,
): (scope: QueryScope, values: Given) => Promise<FoundIds> {
  const { query } = chosen;
  const found = chosenRecords(chosen, statements.building());
  const { building } = found.frame;
  const by = query.orderBy.length === 0 ? sql`` : sql` ORDER BY ${orderSql(query.orderBy, found)}`;
  const ids = found.frame.select(found.id, sql`${by}${limitOf(query, most + 1, building)}`);
  // The planner would compute the ids once for each of both columns without OFFSET.
  const row = new Frame(building).addSelect(sql`SELECT ARRAY(${ids}) AS ids OFFSET 0`, query.model);
  const list = sql`${row.alias}.ids`;
  const statement = statements.select(row, [sql`cardinality(${list})`, sql`${list}[:${integer(most)}]`]);
  return async (scope, values) => {
    const { rows } = await run(statement, scope, values);
    const [only] = rows as readonly [DataRow];
    return { isCut: Number(only.text(0)) > most, ids: new IdList(only, 1) };
  };
}

/** The conditions of the list count for each part: what a caller may not see any more is not read. */
function jsonByIds(
  chosen: ChosenQuery,
  select: readonly Selected[],
  statements: Statements,
): (ids: IdList, scope: QueryScope, values: Given) => Promise<JsonSlices> {
  const { orderBy } = chosen.query;
  const found = chosenRecords(chosen, statements.building());
  const type = statements.catalogue.sqlType({ ...found.model.field('id').type, many: true });
  found.frame.where(sql`${found.id} = ANY(${given('ids', type)})`);
  const columns = new Columns();
  const json = jsonReadingOf(partsOf(select, found, columns, statements));
  const order = orderBy.length === 0 ? {} : { order: orderSql(orderBy, found) };
  const statement = statements.select(found, columns.list, order);
  return async (ids, scope, values) => json.inParts(restOf(ids, statement, values), scope);
}

function restOf(ids: IdList, statement: Prepared, values: Given): RestOfRecords {
  return {
    size: ids.size,
    get isEmpty() {
      return ids.isEmpty;
    },
    async read(count, scope) {
      const { rows } = await run(statement, scope, { ...values, ids: ids.take(count) });
      return rows;
    },
  };
}

// ── Id list ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const COMMA = ','.charCodeAt(0);
const BRACE = 1;

/**
 * Very many ids, as the bytes in which Postgres has sent an array of them: `{3,1,2}`. An id is an integer or a UUID, so no comma
 * is part of one, and nothing is quoted. Ids are taken from the front.
 */
export class IdList {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  /** The size in bytes. */
  readonly size: number;

  /** `field` of the row is the array. */
  constructor(row: DataRow, field: number) {
    this.#at = row.find(field) + BRACE;
    this.#end = row.end - BRACE;
    this.#bytes = row.chunk.bytes;
    this.size = this.#bytes.length;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#end;
  }

  /** The next ids, at most `count`, as the text of an array. */
  take(count: number): string {
    let end = this.#at - 1;
    for (let taken = 0; taken < count && end < this.#end; taken++) end = this.#endOfId(end + 1);
    const ids = this.#bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return `{${ids}}`;
  }

  #endOfId(start: number): number {
    const comma = this.#bytes.indexOf(COMMA, start);
    return comma < 0 || comma > this.#end ? this.#end : comma;
  }
}
