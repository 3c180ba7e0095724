/**
 * Makes the statements of one endpoint. A statement is built from Objection's model of the records that it is about;
 * the pieces inside come from the definition's expressions and paths.
 */
import type { Knex } from 'knex';
import { type AnyQueryBuilder, raw as objectionRaw } from 'objection';
import type { Expression, Hook, Model } from '../../compiler/definition/definition.ts';
import type { Catalogue, CataloguedModel } from '../../compiler/definition/sql/catalogue.ts';
import { conditionSql, valueSql } from '../../compiler/definition/sql/expression-sql.ts';
import type { Building, Row } from '../../compiler/definition/sql/frame.ts';
import { quotedName } from '../../compiler/definition/sql/names.ts';
import { joinedAt } from '../../compiler/definition/sql/paths.ts';
import { all, exact, guardedForm, type Sql, sql, type Text } from '../../compiler/definition/sql/sql.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { Environment } from '../expressions/compiled.ts';
import { isServerOnly } from '../expressions/server-only.ts';
import { binderOf } from '../values/bind.ts';
import type { Value } from '../values/value.ts';
import type { ObjectionModels } from './objection-models.ts';
import { bound } from './parameters.ts';
import { type Buildable, type Guard, type Prepared, placeholders, prepared } from './prepared.ts';
import type { Selecting } from './selection.ts';
import type { HookCall } from './shape.ts';

/** What all endpoints of an application share. */
export interface Foundation {
  readonly catalogue: Catalogue;
  readonly models: ObjectionModels;
  readonly knex: Knex;
  readonly environment: Environment;
  /** The code of a hook that is called with arguments which a statement has read. */
  readonly hookCall: (hook: Hook) => HookCall;
  /** Told after a statement on records of this model has had a value that was out of range. */
  readonly overflowed: (model: string) => void;
}

interface SelectOptions {
  readonly order?: Sql;
  /** Keeps other transactions from changing these rows until this one is over. */
  readonly lock?: readonly Row[];
}

export class Statements implements Selecting {
  readonly foundation: Foundation;
  readonly #modelOf: (record: string) => Model;
  readonly #all: Prepared[] = [];

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

  /**
   * What was made so far: of a compiled endpoint, all that its requests send. The one exception reads the caller again;
   * it is made when it is first needed, and reads what the one that locks the caller reads.
   */
  get all(): readonly Prepared[] {
    return this.#all;
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
      alias: () => sql`${quotedName(`#${aliases++}`)}`,
      value: valueSql,
      condition: conditionSql,
      modelOf: this.#modelOf,
      atEnd: joinedAt,
      isFilled: true,
      isKnown: isServerOnly,
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
    const parts = { columns, from: frame.from(), where: frame.conditions(), ...(order && { order }) };
    const pieces = [...columns, parts.from, ...parts.where, ...(order ? [order] : [])];
    const made = (form: (piece: Sql) => Text) => this.#selected(model.definition.name, parts, lock ?? [], form);
    return this.add(
      made(exact),
      true,
      this.#guardOf(pieces, model, () => prepared(made(guardedForm), true)),
    );
  }

  /** Every statement is made here, so that all of them are known. */
  add(query: Buildable, isRepeatable: boolean, guard: Guard | null = null): Prepared {
    const statement = prepared(query, isRepeatable, guard);
    this.#all.push(statement);
    return statement;
  }

  /** A statement that is written out. */
  written(piece: Sql, model: CataloguedModel): Prepared {
    const made = (form: Text) => this.knex.raw(form.text, placeholders(form) as never);
    return this.add(
      made(piece),
      false,
      this.#guardOf([piece], model, () => prepared(made(guardedForm(piece)), false)),
    );
  }

  #guardOf(pieces: readonly Sql[], { definition }: CataloguedModel, make: () => Prepared): Guard | null {
    if (!pieces.some(({ guarded }) => guarded !== undefined)) return null;
    let made: Prepared | null = null;
    return {
      guarded() {
        made ??= make();
        return made;
      },
      overflowed: () => this.foundation.overflowed(definition.name),
    };
  }

  #selected(model: string, { columns, from, where, order }: Parts, lock: readonly Row[], form: (piece: Sql) => Text) {
    const query = this.#query(model)
      .select(columns.map((column) => rawOf(form(column))))
      .from(rawOf(form(from)) as never);
    if (where.length > 0) query.where(rawOf(form(all(where))));
    const knexQuery = query.toKnexQuery();
    const by = order && form(order);
    if (by) knexQuery.orderByRaw(by.text, placeholders(by) as never);
    if (lock.length > 0) knexQuery.forNoKeyUpdate(...lock.map(({ alias }) => alias.text.replaceAll('"', '')));
    return knexQuery;
  }

  #query(model: string): AnyQueryBuilder {
    const objection = this.foundation.models[model];
    if (!objection) throw new Error(`the definition uses \`${model}\`, but does not define it`);
    return objection.query();
  }
}

interface Parts {
  readonly columns: readonly Sql[];
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly order?: Sql;
}

function rawOf(piece: Text) {
  return objectionRaw(piece.text, placeholders(piece));
}
