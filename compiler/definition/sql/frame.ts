/**
 * A SELECT that is being built: the sources of its rows, and their conditions. Expressions add the joins that they need
 * while they are turned into SQL, so the text is read last.
 */
import type { Model } from '../definition.ts';
import type { Expression, Fold, GroupKey, Step } from '../expression.ts';
import type { Catalogue, CataloguedModel } from './catalogue.ts';
import { all, joined, type Sql, sql } from './sql.ts';

/** The state that all parts of one statement share. */
export interface Building {
  readonly catalogue: Catalogue;
  /** A name for a table that no other table of the statement has. */
  readonly alias: () => Sql;
  /** The value of an expression over a row. */
  readonly value: (expression: Expression, row: Row) => Sql;
  /** The condition of a WHERE on a row: null counts as false, which lets Postgres use more indexes. */
  readonly condition: (expression: Expression, row: Row) => Sql;
  /** A value of the record at the end of a path of single steps; null where a path to a nullable value ends early. */
  readonly atEnd: (row: Row, path: readonly Step[], value: (end: Row) => Sql, isNullable?: boolean) => Sql;
  /** The value of a key, or of an aggregate over the records, in a statement over groups. */
  readonly ofGroup?: (expression: GroupKey | Fold) => Sql;
  /** Whether required columns have a value in every row. While a migration runs, some are still to be filled. */
  readonly isFilled: boolean;
  /** The model of a record that was found before, by the record's name. */
  readonly modelOf: (record: string) => Model;
  /** Whether the value of an expression is known before the statement runs, so that `parameter` puts it in. */
  readonly isKnown: (expression: Expression, row: Row) => boolean;
  /** A value that is known before the statement runs: the runtime binds it, a migration writes it out. */
  readonly parameter: (expression: Expression) => Sql;
  /** The same for a search term. One that is too long is rejected before the statement runs. */
  readonly part: (expression: Expression) => Sql;
}

/** The start of a path, as far as its first step needs it. */
export interface Start {
  readonly id: Sql;
  field(name: string): Sql;
  /** Whether there may be several records, such as those of an earlier query: `id` and the fields are lists then. */
  readonly many: boolean;
}

/** A table, or a select in its place, under its alias in a frame. */
export class Row implements Start {
  readonly frame: Frame;
  readonly alias: Sql;
  readonly model: CataloguedModel;
  readonly many = false;
  /** Whether values of the row count only under a condition, so that they must not raise an error otherwise. */
  readonly isConditional: boolean;

  constructor(frame: Frame, alias: Sql, model: CataloguedModel, isConditional = false) {
    this.frame = frame;
    this.alias = alias;
    this.model = model;
    this.isConditional = isConditional;
  }

  /** The same row, for the values of an `if`. */
  conditionally(): Row {
    return new Row(this.frame, this.alias, this.model, true);
  }

  field(name: string): Sql {
    return sql`${this.alias}.${this.model.column(name)}`;
  }

  get id(): Sql {
    return this.field('id');
  }
}

export class Frame {
  readonly building: Building;
  /** Whether a record counts as often as a path leads to it; queries on the path then give each of theirs once. */
  readonly countsOccurrences: boolean;
  readonly #sources: Sql[] = [];
  readonly #conditions: Sql[] = [];
  readonly #joined = new Map<string, Row>();

  constructor(building: Building, countsOccurrences = false) {
    this.building = building;
    this.countsOccurrences = countsOccurrences;
  }

  /** The first source, or one more whose rows are combined with those before. */
  add(model: string): Row {
    const row = this.#row(model);
    const source = sql`${row.model.table} AS ${row.alias}`;
    this.#sources.push(this.#sources.length === 0 ? source : sql`CROSS JOIN ${source}`);
    return row;
  }

  /** A select in place of a table. */
  addSelect(select: Sql, model: string): Row {
    const row = this.#row(model);
    const source = sql`(${select}) AS ${row.alias}`;
    this.#sources.push(this.#sources.length === 0 ? source : sql`CROSS JOIN LATERAL ${source}`);
    return row;
  }

  join(model: string, on: (row: Row) => Sql): Row {
    const row = this.#row(model);
    this.#sources.push(sql`JOIN ${row.model.table} AS ${row.alias} ON ${on(row)}`);
    return row;
  }

  /** Joins at most one row for each existing row. A second join under the same key is the same join. */
  leftJoin(key: string, model: string, on: (row: Row) => Sql): Row {
    return this.#once(key, model, (row) => sql`LEFT JOIN ${row.model.table} AS ${row.alias} ON ${on(row)}`);
  }

  leftJoinSelect(key: string, model: string, select: () => Sql, on: Sql = sql`TRUE`): Row {
    return this.#once(key, model, (row) => sql`LEFT JOIN LATERAL (${select()}) AS ${row.alias} ON ${on}`);
  }

  /** Adds a source without a model. */
  addSource(source: Sql): void {
    this.#sources.push(source);
  }

  where(condition: Sql): void {
    this.#conditions.push(condition);
  }

  /** Whether the frame has no source but the row outside of it. */
  get isBare(): boolean {
    return this.#sources.length === 0;
  }

  from(): Sql {
    return joined(this.#sources, ' ');
  }

  /** The frame as a select of its own, for use inside another. */
  select(what: Sql, ending: Sql = sql``): Sql {
    const conditions = this.#conditions.length === 0 ? sql`` : sql` WHERE ${all(this.#conditions)}`;
    return sql`SELECT ${what} FROM ${this.from()}${conditions}${ending}`;
  }

  #row(model: string): Row {
    return new Row(this, this.building.alias(), this.building.catalogue.model(model));
  }

  #once(key: string, model: string, source: (row: Row) => Sql): Row {
    const known = this.#joined.get(key);
    if (known) return known;
    const row = this.#row(model);
    this.#joined.set(key, row);
    this.#sources.push(source(row));
    return row;
  }
}
