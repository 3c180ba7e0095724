/**
 * The values that a migration gives to existing rows: expressions over the row `r`, as SQL without parameters. The
 * translation is that of the runtime; here every value is written out.
 */
import type { Definition } from '../../definition/definition.ts';
import type { Expression, Type } from '../../definition/expression.ts';
import { Catalogue } from '../../definition/sql/catalogue.ts';
import { conditionSql, isNull, jsonSql, valueSql } from '../../definition/sql/expression-sql.ts';
import { type Building, Frame, Row } from '../../definition/sql/frame.ts';
import { selectedAt } from '../../definition/sql/paths.ts';
import { integer, joined, type Sql, sql } from '../../definition/sql/sql.ts';
import { quotedText } from './literals.ts';

/** The value as a column of this type stores it. */
export function storedSql(expression: Expression, wanted: Type, model: string, definition: Definition): string {
  const building = buildingOf(definition);
  const row = new Row(new Frame(building), sql`r`, building.catalogue.model(model));
  return (wanted.kind === 'json' ? storedJson(expression, row) : valueSql(expression, row)).text;
}

function storedJson(expression: Expression, row: Row): Sql {
  if (isNull(expression)) return sql`NULL::jsonb`;
  if (expression.kind === 'list') {
    const items = expression.items.map((item) => storedJson(item, row));
    return sql`jsonb_build_array(${joined(items, ', ')})`;
  }
  const value = valueSql(expression, row);
  const isJson = expression.kind === 'collect' || expression.type.kind === 'json';
  return isJson ? value : sql`to_jsonb(${jsonSql(value, expression.type)})`;
}

function buildingOf(definition: Definition): Building {
  const catalogue = new Catalogue(definition);
  let aliases = 0;
  return {
    catalogue,
    alias: () => sql`t${integer(++aliases)}`,
    value: valueSql,
    condition: conditionSql,
    modelOf: (record) => notInDatabase(record),
    atEnd: selectedAt,
    isFilled: false,
    isKnown: () => false,
    parameter: (expression) => writtenOut(expression, catalogue),
    part: (expression) => writtenOut(expression, catalogue),
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
