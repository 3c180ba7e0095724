/** Paths from a row to others, as the FROM and WHERE of a select. Names of tables in it begin with `t`, the row's is `r`. */
import type { Definition, Expression, Model, Query, Step } from '../../definition/definition.ts';
import { quotedName } from '../../definition/sql/names.ts';

type ValueSql = (expression: Expression, row: Row) => string;

/** What is known of the tables that a statement is over. */
export class Tables {
  readonly #models: ReadonlyMap<string, Model>;
  readonly #types: ReadonlyMap<string, string>;
  #aliases = 0;

  constructor({ models, enums }: Definition) {
    this.#models = new Map(models.map((model) => [model.name, model]));
    this.#types = new Map(enums.map(({ name, type }) => [name, type]));
  }

  readonly typeOf = (enumName: string): string => this.#types.get(enumName) as string;

  row(model: string, alias = `t${++this.#aliases}`): Row {
    return new Row(this, this.#models.get(model) as Model, alias);
  }
}

/** A row of a model under its alias. */
export class Row {
  readonly tables: Tables;
  readonly model: Model;
  readonly alias: string;

  constructor(tables: Tables, model: Model, alias: string) {
    this.tables = tables;
    this.model = model;
    this.alias = alias;
  }

  get source(): string {
    return `${quotedName(this.model.table)} AS ${this.alias}`;
  }

  column(field: string): string {
    const found = this.model.fields.find(({ name }) => name === field);
    return `${this.alias}.${quotedName(found?.column as string)}`;
  }

  computed(name: string): Expression {
    return this.model.computed.find((computed) => computed.name === name)?.value as Expression;
  }

  query(name: string): Query {
    return this.model.queries.find((query) => query.name === name)?.query as Query;
  }
}

/** A select that grows with each step of a path. */
export class Walk {
  readonly #sources: string[] = [];
  readonly #conditions: string[] = [];

  /** A record as often as the path leads to it. */
  along(path: readonly Step[], row: Row, valueSql: ValueSql): Row {
    return path.reduce((from, step) => this.#step(step, from, valueSql), row);
  }

  where(condition: string): void {
    this.#conditions.push(condition);
  }

  add(row: Row): void {
    this.#sources.push(row.source);
  }

  select(what: string, ending = ''): string {
    const where = this.#conditions.length === 0 ? '' : ` WHERE ${this.#conditions.join(' AND ')}`;
    return `SELECT ${what} FROM ${this.#sources.join(', ')}${where}${ending}`;
  }

  #step(step: Step, from: Row, valueSql: ValueSql): Row {
    const to = from.tables.row(step.model);
    if (step.kind === 'query') {
      const select = queryRecords(from.query(step.name), from, valueSql);
      this.#sources.push(`LATERAL (${select}) AS ${to.alias}`);
      return to;
    }
    this.add(to);
    const isReference = step.kind === 'reference';
    this.where(
      isReference
        ? `${to.column('id')} = ${from.column(step.field)}`
        : `${to.column(step.field)} = ${from.column('id')}`,
    );
    return to;
  }
}

/** The records of a query, each once. */
function queryRecords(query: Query, row: Row, valueSql: ValueSql): string {
  const walk = new Walk();
  const each = row.tables.row(query.model);
  walk.add(each);
  if (query.origin.kind === 'row' && query.path.length > 0) {
    const found = new Walk();
    const end = found.along(query.path, row, valueSql);
    walk.where(`${each.column('id')} IN (${found.select(end.column('id'))})`);
  }
  if (query.filter) walk.where(`(${valueSql(query.filter, each)}) IS TRUE`);
  return walk.select(`${each.alias}.*`, limitsOf(query, each, valueSql));
}

function limitsOf({ orderBy, limit, offset, cardinality }: Query, row: Row, valueSql: ValueSql): string {
  const order = orderBy.map(({ value, descending }) => valueSql(value, row) + (descending ? ' DESC' : ''));
  const most = cardinality === 'first' || cardinality === 'one' ? 1 : limit;
  return [
    order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '',
    most === null ? '' : ` LIMIT ${most}`,
    offset === null ? '' : ` OFFSET ${offset}`,
  ].join('');
}
