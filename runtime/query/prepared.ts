/** A statement with what it binds. It is put together once, and run as a named prepared statement from then on. */
import { createHash } from 'node:crypto';
import type { ColumnType } from '../../compiler/definition/schema.ts';
import { bindOf, type Sql, sql, type Text, typeName } from '../../compiler/definition/sql/sql.ts';
import { emptyScope, type Scope } from '../expressions/scope.ts';
import type { DataRow } from './data-row.ts';
import { type Bound, DatabaseError, type DataConnection, type Result, type Statement } from './database.ts';

export interface Prepared {
  readonly statement: Statement;
  readonly parameters: readonly Parameter[];
  /** Null where no value of a row can be out of range. */
  readonly guard: Guard | null;
}

/** The fallback for a value of a row that was out of range. */
export interface Guard {
  /** The same statement, in which such a value is null. It is made when it is first needed. */
  readonly guarded: () => Prepared;
  /** Called after it was run. */
  readonly overflowed: () => void;
}

/** What statements are run for: the values of a request, and its connection. */
export interface QueryScope extends Scope {
  readonly connection: DataConnection;
}

/** For statements that need nothing of a request. */
export function scopeOn(connection: DataConnection): QueryScope {
  return { ...emptyScope(), connection };
}

const NOTHING: Given = {};

export function run(prepared: Prepared, scope: QueryScope, given: Given = NOTHING): Promise<Result<DataRow>> {
  const { guard } = prepared;
  const running = runPlain(prepared, scope, given);
  if (guard === null) return running;
  return running.catch(async (error: unknown) => {
    if (!(error instanceof DatabaseError) || error.kind !== 'out-of-range') throw error;
    const result = await runPlain(guard.guarded(), scope, given);
    guard.overflowed();
    return result;
  });
}

function runPlain({ statement, parameters }: Prepared, scope: QueryScope, given: Given): Promise<Result<DataRow>> {
  const values = new Array<Bound>(parameters.length);
  for (let at = 0; at < parameters.length; at++) values[at] = (parameters[at] as Parameter)(scope, given);
  return scope.connection.fetch(statement, values);
}

/** Makes a statement that returns Postgres's plan, as JSON in one row. The statement itself is not run. */
export function explained({ statement, parameters, guard }: Prepared): Prepared {
  const text = `EXPLAIN (FORMAT JSON) ${statement.text}`;
  return {
    statement: { ...statement, name: nameOf(text), text },
    parameters,
    guard: guard && { ...guard, guarded: () => explained(guard.guarded()) },
  };
}

interface StatementTraits {
  readonly isRepeatable: boolean;
  readonly isOneOfMany: boolean;
}

export function prepared({ text, parameters }: Text, traits: StatementTraits, guard: Guard | null = null): Prepared {
  const numbered = numberedText(text);
  return {
    statement: { name: nameOf(numbered), text: numbered, ...traits, mayOverflow: guard !== null },
    // Every parameter of a statement of the runtime is one of its own: `bound` has made it.
    parameters: parameters as readonly Parameter[],
    guard,
  };
}

/** Each `?` becomes `$1`, `$2` and so on, as Postgres wants them. */
function numberedText(text: string): string {
  let count = 0;
  return text.replaceAll('?', () => `$${++count}`);
}

/** The same text has the same name on every server, so that a pooler can share what is prepared. */
function nameOf(text: string): string {
  return `kiln_${createHash('sha256').update(text).digest('base64url').slice(0, 24)}`;
}

// Values in statements: whatever a client can choose is bound.

/** Takes the value to bind from the request, or from what the caller of the statement gives beside it. */
export type Parameter = (scope: Scope, given: Given) => Bound;

/** The values by the names that the statement was built with. */
export type Given = Readonly<Record<string, Bound>>;

/** The type to which the value is cast: a type of Postgres, or a piece that names one. */
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

/**
 * A list that the caller gives, whose length Postgres does not see when it plans. Otherwise a list of less than ten
 * values always seems cheaper than the plan for any list, and the statement is planned again each time.
 */
export function givenList(name: string, type: Sql): Sql {
  return sql`(SELECT ${given(name, sql`${type}[]`)})::${type}[]`;
}

/** Whether the client has sent the input of this path. */
export function isSent(path: readonly string[]): Sql {
  const name = path.join('.');
  return bound(({ sent }) => String(sent.has(name)), 'boolean');
}
