/**
 * A statement with what it binds. It is put together once, by knex and Objection, and run as a named prepared
 * statement from then on.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Scope } from '../expressions/scope.ts';
import type { DataRow } from './data-row.ts';
import type { Bound, DataConnection, Result, Statement } from './database.ts';
import type { Parameter, Sql } from './sql.ts';

export interface Prepared {
  readonly statement: Statement;
  readonly parameters: readonly Parameter[];
}

export function run(
  { statement, parameters }: Prepared,
  connection: DataConnection,
  scope: Scope,
  given: readonly Bound[] = [],
): Promise<Result<DataRow>> {
  const values = new Array<Bound>(parameters.length);
  for (let at = 0; at < parameters.length; at++) values[at] = (parameters[at] as Parameter)(scope, given);
  return connection.fetch(statement, values);
}

/** Stands for a parameter while knex puts the statement together. */
export class Placeholder {
  readonly parameter: Parameter;

  constructor(parameter: Parameter) {
    this.parameter = parameter;
  }
}

export function placeholders({ parameters }: Sql): Placeholder[] {
  return parameters.map((parameter) => new Placeholder(parameter));
}

/** Whatever can be asked for its SQL: a builder of knex, or a raw statement. */
type Buildable = Pick<Knex.QueryBuilder, 'toSQL'> | Pick<Knex.Raw, 'toSQL'>;

export function prepared(query: Buildable, isRepeatable: boolean): Prepared {
  const { sql: text, bindings } = (query.toSQL() as Knex.Sql).toNative();
  return {
    statement: { name: nameOf(text), text, isRepeatable },
    parameters: bindings.map((binding) => parameterFrom(binding)),
  };
}

/** What is no placeholder is a number that knex binds by itself, such as a limit. */
function parameterFrom(binding: unknown): Parameter {
  if (binding instanceof Placeholder) return binding.parameter;
  const text = String(binding);
  return () => text;
}

/** The same text has the same name on every server, so that a pooler can share what is prepared. */
function nameOf(text: string): string {
  return `kiln_${createHash('sha256').update(text).digest('base64url').slice(0, 24)}`;
}
