import { expect } from 'chai';
import type { Definition, Field } from '../../../compiler/definition/definition.ts';
import { storedSql } from '../../../compiler/emit/sql/expressions.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { compileExpression } from '../../../runtime/expressions/compile-expression.ts';
import { emptyScope } from '../../../runtime/expressions/scope.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { definitionOf } from '../emit-sql-database.ts';

/** A default is evaluated in the server for new records, and in the database for those that exist. */
const DEFAULTS: readonly (readonly [type: string, expression: string])[] = [
  ['integer', '1 + 2 * 3 - 4'],
  ['integer', '-(7 % 3) + -7 % 3'],
  ['integer', 'abs(-5) + round(2.5) + round(-2.5) + round(0.4)'],
  ['integer', 'round(1250, -2)'],
  ['integer', 'length("Zürich 🜂")'],
  ['float', '1 / 4'],
  ['float', '7.5 % 2'],
  ['float', 'round(1.005, 2) + 0.1'],
  ['float', '3'],
  ['decimal', '0.10'],
  ['decimal', '1 + 2'],
  ['string', '"a" + "b" + stringify(1) + stringify(1.5) + stringify(true)'],
  ['string', '"x" + 1 + 2.5 + false'],
  ['string', 'lower("ÄÖÜ İ") + upper("straße ﬁ")'],
  ['string', 'trim("\\t\\n  it\'s \\\\ \\u00a0")'],
  ['string', 'concat("a", "b", "c")'],
  ['string', 'coalesce(null, "b")'],
  ['boolean', '1 < 2 and not ("b" < "B")'],
  ['boolean', '"a" in ["a", "b"] or 3 in [1, 2]'],
  ['boolean', '1 is not 2 and null is null'],
  ['boolean', '"Z" < "a" and "é" > "z"'],
  ['string', '"draft"'],
  ['Status', '"live"'],
  ['json', '[1, "a", [true, null], 2.5]'],
  ['json', '"text"'],
  ['json', '1 + 1'],
  ['uuid', '"018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01"'],
  ['date', '"2024-02-29"'],
];

describe('values for the records that exist', () => {
  before(() => loadGrammar());

  it('are those that the server gives to new ones', async () => {
    const { client } = await databaseWithSchema(`CREATE TYPE "status" AS ENUM ('draft', 'live')`);
    const definition = thingWith(DEFAULTS);
    for (const [at, field] of fieldsOf(definition).entries()) {
      const what = DEFAULTS[at]?.join(' ');
      const value = storedSql(field.default as NonNullable<Field['default']>, field.type, 'Thing', definition);
      const text =
        field.type.kind === 'decimal' || field.type.kind === 'date' ? `(${value})::text` : `to_jsonb(${value})`;
      const { rows } = await client.query<{ value: unknown }>(`SELECT ${text} AS value`);
      expect(rows[0]?.value, what).to.deep.equal(await serverValue(field));
    }
  });
});

function thingWith(defaults: typeof DEFAULTS): Definition {
  const fields = defaults.map(([type, expression], at) => `field f${at} { type ${type}, default ${expression} }`);
  const text = `enum Status { draft, live }\nmodel Thing {\n${fields.join('\n')}\n}`;
  return definitionOf([{ path: 'main.kiln', text }]);
}

function fieldsOf({ models }: Definition): readonly Field[] {
  return (models[0]?.fields ?? []).filter(({ default: value }) => value !== null);
}

async function serverValue(field: Field): Promise<unknown> {
  const environment = { hook: () => async () => null, enumValues: () => ['draft', 'live'] };
  const { run } = compileExpression(field.default as NonNullable<Field['default']>, environment);
  return run(emptyScope());
}
