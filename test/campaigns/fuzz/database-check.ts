/** Whether the rows that a run leaves behind keep the rules of the models, whatever the constraints of the tables say. */
import type { Definition, Model } from '../../../compiler/definition/definition.ts';
import type { Queryable } from '../databases.ts';

/** One sentence for each rule that is broken. */
export async function inconsistencies(definition: Definition, client: Queryable): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [what, statement] of definition.models.flatMap((model) => rulesOf(model, definition))) {
    const { rows } = await client.query(`SELECT count(*)::int AS broken FROM (${statement}) AS rows`);
    if (rows[0].broken > 0) found.push(`${what}: ${rows[0].broken} rows`);
  }
  return found;
}

type Rule = readonly [what: string, statement: string];

function rulesOf(model: Model, definition: Definition): readonly Rule[] {
  return [...requiredRules(model), ...referenceRules(model, definition), ...uniqueRules(model)];
}

function requiredRules({ name, table, fields }: Model): readonly Rule[] {
  return fields
    .filter(({ type }) => !type.nullable)
    .map((field) => [`${name}.${field.name} is required`, `SELECT 1 FROM "${table}" WHERE "${field.column}" IS NULL`]);
}

function referenceRules({ name, table, fields, references }: Model, { models }: Definition): readonly Rule[] {
  return references.map((reference) => {
    const column = fields.find((field) => field.name === reference.field)?.column;
    const target = models.find((each) => each.name === reference.to)?.table;
    const there = `SELECT 1 FROM "${target}" AS target WHERE target.id = source."${column}"`;
    return [
      `${name}.${reference.name} refers to a record`,
      `SELECT 1 FROM "${table}" AS source WHERE "${column}" IS NOT NULL AND NOT EXISTS (${there})`,
    ];
  });
}

function uniqueRules({ name, table, fields, uniques }: Model): readonly Rule[] {
  const columnOf = (field: string) => fields.find((each) => each.name === field)?.column ?? field;
  const single = fields.filter(({ unique }) => unique).map((field) => [field.name]);
  return [...single, ...uniques].map((names) => {
    const columns = names.map((field) => `"${columnOf(field)}"`);
    const given = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
    return [
      `${name}.${names.join(', ')} is unique`,
      `SELECT 1 FROM "${table}" WHERE ${given} GROUP BY ${columns.join(', ')} HAVING count(*) > 1`,
    ];
  });
}
