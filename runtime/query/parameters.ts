/** Values in statements: whatever a client can choose is bound. */

import type { ColumnType } from '../../compiler/definition/schema.ts';
import { typeName } from '../../compiler/definition/sql/names.ts';
import { bindOf, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import type { Scope } from '../expressions/scope.ts';
import type { Bound } from './database.ts';

/** Takes the value to bind from the request. `given` is what the caller of the statement hands over beside it. */
export type Parameter = (scope: Scope, given: readonly Bound[]) => Bound;

/** What the value is cast to: a type of Postgres, or a piece that names one. */
type ValueType = Extract<ColumnType, string> | Sql;

export function bound(parameter: Parameter, type: ValueType): Sql {
  return sql`${bindOf(parameter)}::${typeof type === 'string' ? typeName(type) : type}`;
}

/** The value at this place of what the caller hands over. */
export function given(at: number, type: ValueType): Sql {
  return bound((_, values) => values[at] as Bound, type);
}
