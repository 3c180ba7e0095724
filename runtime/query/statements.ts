/** Makes the statements of one endpoint, from the definition's expressions and paths. */

import type { Model } from '../../compiler/definition/definition.ts';
import type { Expression, Hook } from '../../compiler/definition/expression.ts';
import { once } from '../../compiler/definition/memo.ts';
import type { Catalogue, CataloguedModel } from '../../compiler/definition/sql/catalogue.ts';
import { conditionSql, valueSql } from '../../compiler/definition/sql/expression-sql.ts';
import type { Building, Row } from '../../compiler/definition/sql/frame.ts';
import { joinedAt } from '../../compiler/definition/sql/paths.ts';
import { joined, quotedName, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { Environment } from '../expressions/compiled.ts';
import { shortPart } from '../expressions/out-of-range.ts';
import { isServerOnly, mayBeOutOfRange } from '../expressions/server-only.ts';
import { binderOf } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { bound, type Guard, type Prepared, prepared } from './prepared.ts';
import type { Selecting } from './selection.ts';
import type { HookCall } from './shape.ts';

/** The tools that all endpoints of an application share. */
export interface Foundation {
  readonly catalogue: Catalogue;
  readonly environment: Environment;
  /** The code of a hook that is called with arguments which a statement has read. */
  readonly hookCall: (hook: Hook) => HookCall;
  /** Called after a statement on records of this model has had a value that was out of range. */
  readonly overflowed: (model: string) => void;
}

interface SelectOptions {
  readonly groupBy?: Sql;
  readonly limit?: Sql;
  readonly order?: Sql;
  /** Keeps other transactions from changing these rows until this one is over. */
  readonly lock?: readonly Row[];
}

export class Statements implements Selecting {
  readonly foundation: Foundation;
  readonly #modelOf: (record: string) => Model;
  readonly #all: Prepared[] = [];
  readonly #areChosen: boolean;

  /** `areChosen` where clients choose the statements among many. */
  constructor(foundation: Foundation, modelOf: (record: string) => Model, areChosen = false) {
    this.foundation = foundation;
    this.#modelOf = modelOf;
    this.#areChosen = areChosen;
  }

  /**
   * Makes statements that clients choose among many. They are not part of `all`: the caller decides which are cached.
   */
  chosen(): Statements {
    return new Statements(this.foundation, this.#modelOf, true);
  }

  get catalogue(): Catalogue {
    return this.foundation.catalogue;
  }

  /**
   * The statements so far: for a compiled endpoint, all that its requests send. The one exception reads the caller
   * again; it is made on first use, and reads what the one that locks the caller reads.
   */
  get all(): readonly Prepared[] {
    return this.#all;
  }

  hook(hook: Hook): HookCall {
    return this.foundation.hookCall(hook);
  }

  /**
   * The tools for one statement: its aliases are counted from the beginning, so that equal statements have equal texts.
   * No table has such a name.
   */
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
      isKnown: (expression, { isConditional }) =>
        isServerOnly(expression) && !(isConditional && mayBeOutOfRange(expression)),
      parameter: (expression) => this.parameter(expression),
      part: (expression) => this.parameter(expression, shortPart),
    };
  }

  parameter(expression: Expression, check = (value: Value) => value): Sql {
    const { run } = compileExpression(expression, this.foundation.environment);
    const bind = binderOf(expression.type);
    return bound((scope) => bind(check(run(scope) as Value)), this.catalogue.sqlType(expression.type));
  }

  select(
    row: Row,
    columns: readonly Sql[],
    { groupBy, order, limit = sql``, lock = [] }: SelectOptions = {},
  ): Prepared {
    const groups = groupBy ? sql` GROUP BY ${groupBy}` : sql``;
    const by = order ? sql`${groups} ORDER BY ${order}${limit}` : sql`${groups}${limit}`;
    const aliases = lock.map(({ alias }) => alias);
    const locked = lock.length > 0 ? sql` FOR NO KEY UPDATE OF ${joined(aliases, ', ')}` : sql``;
    return this.#guarded(row.frame.select(joined(columns, ', '), sql`${by}${locked}`), row.model, true);
  }

  /** Adds a statement that is written by hand. */
  written(piece: Sql, model: CataloguedModel): Prepared {
    return this.#guarded(piece, model, false);
  }

  /** Adds a statement. Every statement is made here, so that all of them are known. */
  add(piece: Sql, isRepeatable: boolean, guard: Guard | null = null): Prepared {
    const statement = prepared(piece, this.#traits(isRepeatable), guard);
    this.#all.push(statement);
    return statement;
  }

  #traits(isRepeatable: boolean) {
    return { isRepeatable, isOneOfMany: this.#areChosen };
  }

  #guarded(piece: Sql, { definition }: CataloguedModel, isRepeatable: boolean): Prepared {
    const { guarded } = piece;
    if (guarded === undefined) return this.add(piece, isRepeatable);
    const traits = this.#traits(isRepeatable);
    return this.add(piece, isRepeatable, {
      guarded: once(() => prepared(guarded, traits)),
      overflowed: () => this.foundation.overflowed(definition.name),
    });
  }
}
