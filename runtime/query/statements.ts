/**
 * Makes the statements of one endpoint. A statement is built from Objection's model of the records that it is about;
 * the pieces inside come from the definition's expressions and paths.
 */
import type { Knex } from 'knex';
import { type AnyQueryBuilder, raw as objectionRaw } from 'objection';
import type { Expression, Hook, Model } from '../../compiler/definition/definition.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { Environment } from '../expressions/compiled.ts';
import { binderOf } from '../values/bind.ts';
import type { Value } from '../values/value.ts';
import type { Catalogue } from './catalogue.ts';
import { conditionSql, valueSql } from './expression-sql.ts';
import type { Building, Row } from './frame.ts';
import type { ObjectionModels } from './objection-models.ts';
import { type Prepared, placeholders, prepared } from './prepared.ts';
import type { Selecting } from './selection.ts';
import type { HookCall } from './shape.ts';
import { all, bound, quoted, type Sql } from './sql.ts';

/** What all endpoints of an application share. */
export interface Foundation {
  readonly catalogue: Catalogue;
  readonly models: ObjectionModels;
  readonly knex: Knex;
  readonly environment: Environment;
  /** The code of a hook that is called with arguments which a statement has read. */
  readonly hookCall: (hook: Hook) => HookCall;
}

export interface SelectOptions {
  readonly order?: Sql;
  /** Keeps other transactions from changing these rows until this one is over. */
  readonly lock?: readonly Row[];
}

export class Statements implements Selecting {
  readonly foundation: Foundation;
  readonly #modelOf: (record: string) => Model;

  constructor(foundation: Foundation, modelOf: (record: string) => Model) {
    this.foundation = foundation;
    this.#modelOf = modelOf;
  }

  get catalogue(): Catalogue {
    return this.foundation.catalogue;
  }

  get knex(): Knex {
    return this.foundation.knex;
  }

  hook(hook: Hook): HookCall {
    return this.foundation.hookCall(hook);
  }

  /** For one statement: its aliases are counted from the beginning, so that equal statements have equal texts. No
   * table has such a name. */
  building(): Building {
    let aliases = 0;
    return {
      catalogue: this.catalogue,
      alias: () => quoted(`#${aliases++}`),
      value: valueSql,
      condition: conditionSql,
      modelOf: this.#modelOf,
      parameter: (expression) => this.parameter(expression),
    };
  }

  parameter(expression: Expression): Sql {
    const { run } = compileExpression(expression, this.foundation.environment);
    const bind = binderOf(expression.type);
    return bound((scope) => bind(run(scope) as Value), this.catalogue.sqlType(expression.type));
  }

  prepare(row: Row, columns: readonly Sql[], order?: Sql): Prepared {
    return this.select(row, columns, order ? { order } : {});
  }

  select(row: Row, columns: readonly Sql[], { order, lock }: SelectOptions = {}): Prepared {
    const { frame, model } = row;
    const query = this.#query(model.definition.name)
      .select(columns.map(rawOf))
      .from(rawOf(frame.from()) as never);
    const conditions = frame.conditions();
    if (conditions.length > 0) query.where(rawOf(all(conditions)));
    const knexQuery = query.toKnexQuery();
    if (order) knexQuery.orderByRaw(order.text, placeholders(order) as never);
    if (lock) knexQuery.forNoKeyUpdate(...lock.map(({ alias }) => alias.replaceAll('"', '')));
    return prepared(knexQuery, true);
  }

  #query(model: string): AnyQueryBuilder {
    const objection = this.foundation.models[model];
    if (!objection) throw new Error(`the definition uses \`${model}\`, but does not define it`);
    return objection.query();
  }
}

function rawOf(piece: Sql) {
  return objectionRaw(piece.text, placeholders(piece));
}
