/** The values that a migration gives to existing rows: expressions over the row `r`, as SQL without parameters. */
import type { Definition } from '../../definition/definition.ts';
import type { Expression, Type } from '../../definition/expression.ts';
import { isNull, jsonSql, valueSql } from '../../definition/sql/expression-sql.ts';
import { Frame, Row } from '../../definition/sql/frame.ts';
import { joined, type Sql, sql } from '../../definition/sql/sql.ts';
import { writtenOutBuilding } from '../../definition/sql/written-out.ts';

/** The value as a column of this type stores it. */
export function storedSql(expression: Expression, wanted: Type, model: string, definition: Definition): string {
  const building = writtenOutBuilding(definition);
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
