/** Values in statements: whatever a client can choose is bound. */

import type { ColumnType } from '../../compiler/definition/schema.ts';
import { typeName } from '../../compiler/definition/sql/names.ts';
import { bindOf, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import type { Scope } from '../expressions/scope.ts';
import type { Bound } from './database.ts';

/** Takes the value to bind from the request, or from what the caller of the statement gives beside it. */
export type Parameter = (scope: Scope, given: Given) => Bound;

/** By the names that the statement was built with. */
export type Given = Readonly<Record<string, Bound>>;

/** What the value is cast to: a type of Postgres, or a piece that names one. */
type ValueType = Extract<ColumnType, string> | Sql;

export function bound(parameter: Parameter, type: ValueType): Sql {
  return sql`${bindOf(parameter)}::${typeof type === 'string' ? typeName(type) : type}`;
}

/** The value that the caller of the statement gives under this name. */
export function given(name: string, type: ValueType): Sql {
  return bound((_, values) => {
    const value = values[name];
    if (value === undefined) throw new Error(`a statement was run without its value \`${name}\``);
    return value;
  }, type);
}

/** Whether the client has sent the input of this path. */
export function isSent(path: readonly string[]): Sql {
  const name = path.join('.');
  return bound(({ sent }) => String(sent.has(name)), 'boolean');
}
