/**
 * Makes a record, or finds it by a unique key. It is one statement, and correct in parallel: the second request waits
 * until the record of the first is committed, and then finds it. The statement does not name an index, so it works
 * through the views of a rollout, and after a later release has dropped the key.
 */
import type { CataloguedModel } from '../../compiler/definition/sql/catalogue.ts';
import { all, joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { isSent, run } from './prepared.ts';
import { Gathering, objectFromRow } from './shape.ts';
import type { Statements } from './statements.ts';
import { CHANGED, changedReading, type Returned, type Writing, type WrittenValue, WrittenValues } from './writes.ts';

interface Conflict {
  /** The fields of the unique key. */
  readonly key: readonly string[];
  /** The changes of an existing record. */
  readonly changes: readonly Change[];
  /** Whether a record that is kept must not be deleted before the transaction is over. */
  readonly isHeld: boolean;
}

interface Change {
  readonly field: string;
  /**
   * The condition under which the value of the new record counts: the input of this path was sent, or always, or never.
   */
  readonly given: readonly string[] | 'always' | 'never';
  /** The condition under which the value of the new record counts. */
  readonly condition: WrittenValue | null;
  /** The value where it does not count; null where the field stays as it is. */
  readonly otherwise: WrittenValue | null;
}

interface GivenField {
  readonly field: string;
  readonly value: WrittenValue;
}

export function insertOrFindOf(
  model: string,
  fields: readonly GivenField[],
  conflict: Conflict,
  returned: Returned,
  statements: Statements,
): Writing {
  const described = statements.catalogue.model(model);
  const others = conflict.changes.flatMap(({ condition, otherwise }) => [condition ?? [], otherwise ?? []].flat());
  const values = new WrittenValues([...fields.map(({ value }) => value), ...others]);
  const parts = new Parts(described, fields, conflict, values, statements);
  const search = changedReading(parts.searching(), WAS_THERE, returned, described, statements);
  const insert = changedReading(parts.inserting(), WAS_THERE, returned, described, statements);
  return async (connection, scope) => {
    const given = values.isAsync ? await values.evaluated(scope) : undefined;
    // The second attempt sees what another request has made in the meantime. A conflict after that is with another key,
    // which the database reports.
    for (const { statement, shape, at } of [search, search, insert]) {
      const { rows } = await run(statement, connection, scope, given);
      const [row] = rows;
      if (row === undefined) continue;
      return {
        reads: objectFromRow(row, shape.reads, new Gathering()),
        json: shape.json && (await shape.json.record(row, connection, scope)),
        wasThere: row.text(at) === 't',
      };
    }
    throw new Error('an insert gave no row back');
  };
}

// No table and no column of an author has such a name.
const GIVEN = sql`"#given"`;
const NEW = sql`"#new"`;
const OLD = sql`"#old"`;
const THERE = sql`"#there"`;
const WAS_THERE = sql`"#was_there"`;

/** The parts of the statements, which share what they bind. */
class Parts {
  readonly #model: CataloguedModel;
  readonly #conflict: Conflict;
  readonly #values: WrittenValues;
  readonly #statements: Statements;
  /** The values of the new record, by the names of their columns. */
  readonly #given: Sql;
  readonly #columns: Sql;

  constructor(
    model: CataloguedModel,
    fields: readonly GivenField[],
    conflict: Conflict,
    values: WrittenValues,
    statements: Statements,
  ) {
    this.#model = model;
    this.#conflict = conflict;
    this.#values = values;
    this.#statements = statements;
    const given = fields.map(({ field, value }) => sql`${this.#value(field, value)} AS ${model.column(field)}`);
    this.#given = sql`${GIVEN} AS (SELECT ${joined(given, ', ')})`;
    this.#columns = joined(
      fields.map(({ field }) => sql`${model.column(field)}`),
      ', ',
    );
  }

  #value(field: string, value: WrittenValue): Sql {
    return this.#values.sql(value, this.#statements.catalogue.sqlType(this.#model.field(field).type));
  }

  /**
   * Searches before it inserts: an existing record takes no number of the sequence, which an insert with a conflict
   * would.
   */
  searching(): Sql {
    const { table } = this.#model;
    const isFree = sql`NOT EXISTS (SELECT FROM ${table} AS ${THERE} WHERE ${this.#isSame()})`;
    const inserted = sql`${this.#insert()} WHERE ${isFree} ON CONFLICT DO NOTHING RETURNING *`;
    const found = sql`SELECT *, FALSE AS ${WAS_THERE} FROM ${NEW} UNION ALL SELECT *, TRUE FROM ${OLD}`;
    return sql`${this.#given}, ${NEW} AS (${inserted}), ${OLD} AS (${this.#old()}), ${CHANGED} AS (${found})`;
  }

  inserting(): Sql {
    return sql`${this.#given}, ${CHANGED} AS (${this.#insert()} RETURNING *, FALSE AS ${WAS_THERE})`;
  }

  #insert(): Sql {
    return sql`INSERT INTO ${this.#model.table} (${this.#columns}) SELECT ${this.#columns} FROM ${GIVEN}`;
  }

  #isSame(): Sql {
    const columns = this.#conflict.key.map((field) => this.#model.column(field));
    return all(columns.map((column) => sql`${THERE}.${column} = ${GIVEN}.${column}`));
  }

  #old(): Sql {
    const { changes, isHeld } = this.#conflict;
    const { table } = this.#model;
    const where = sql`WHERE ${this.#isSame()} AND NOT EXISTS (SELECT FROM ${NEW})`;
    if (changes.length > 0) {
      const set = joined(
        changes.map((change) => this.#change(change)),
        ', ',
      );
      return sql`UPDATE ${table} AS ${THERE} SET ${set} FROM ${GIVEN} ${where} RETURNING ${THERE}.*`;
    }
    const lock = isHeld ? sql` FOR KEY SHARE OF ${THERE}` : sql``;
    return sql`SELECT ${THERE}.* FROM ${table} AS ${THERE}, ${GIVEN} ${where}${lock}`;
  }

  #change({ field, given, condition, otherwise }: Change): Sql {
    const column = this.#model.column(field);
    const taken = sql`${GIVEN}.${column}`;
    const other = otherwise ? this.#value(field, otherwise) : sql`${THERE}.${column}`;
    if (given === 'never') return sql`${column} = ${other}`;
    const conditions = [
      ...(condition ? [this.#values.sql(condition, sql`boolean`)] : []),
      ...(given === 'always' ? [] : [isSent(given)]),
    ];
    if (conditions.length === 0) return sql`${column} = ${taken}`;
    return sql`${column} = CASE WHEN ${all(conditions)} THEN ${taken} ELSE ${other} END`;
  }
}
