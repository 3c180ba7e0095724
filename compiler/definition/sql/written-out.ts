/**
 * Statements without parameters, for migrations and triggers: every value is written out. The translation is that of the
 * runtime.
 */
import type { Definition } from '../definition.ts';
import type { Expression, Snapshot } from '../expression.ts';
import { Catalogue } from './catalogue.ts';
import { conditionSql, valueSql } from './expression-sql.ts';
import type { Building } from './frame.ts';
import { quotedText } from './literals.ts';
import { selectedAt } from './paths.ts';
import { integer, type Sql, sql } from './sql.ts';

/** `snapshotSql` writes a value of a record that is at hand, where there is one. */
export function writtenOutBuilding(
  definition: Definition,
  snapshotSql: (snapshot: Snapshot) => Sql = ({ record }) => notInDatabase(record),
): Building {
  const catalogue = new Catalogue(definition);
  let aliases = 0;
  const written = (expression: Expression) =>
    expression.kind === 'snapshot' ? snapshotSql(expression) : writtenOut(expression, catalogue);
  return {
    catalogue,
    alias: () => sql`t${integer(++aliases)}`,
    value: valueSql,
    condition: conditionSql,
    modelOf: (record) => notInDatabase(record),
    atEnd: selectedAt,
    isFilled: false,
    isKnown: ({ kind }) => kind === 'snapshot',
    parameter: written,
    part: written,
  };
}

function writtenOut(expression: Expression, catalogue: Catalogue): Sql {
  if (expression.kind !== 'literal') return notInDatabase(expression.kind);
  const { value, type } = expression;
  const text = type.kind === 'json' ? JSON.stringify(value) : String(value);
  return sql`${quotedText(text)}::${catalogue.sqlType(type)}`;
}

function notInDatabase(what: string): never {
  throw new Error(`\`${what}\` is nothing that the database knows`);
}
