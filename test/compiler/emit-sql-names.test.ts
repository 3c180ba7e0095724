import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../../compiler/compile.ts';
import { snakeCase } from '../../compiler/definition/names.ts';
import type { Schema } from '../../compiler/definition/schema.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { definitionOf, SchemaDatabase, schemaOf, tableIn } from './emit-sql-database.ts';

describe('names in schema.sql', () => {
  let database: SchemaDatabase;

  before(async () => {
    database = await SchemaDatabase.open();
  });

  it('stay within 63 bytes and apart, however long they were', async () => {
    const long = 'a_name_that_goes_on_and_on_'.repeat(8);
    const schema = schemaOf(`
      enum X${long}a { a }
      enum X${long}b { b }
      model M${long}a {
        reference ${long}a { to M${long}b }
        reference ${long}b { to M${long}a, nullable }
        field ${long}c { type X${long}a, unique }
        field ${long}d { type X${long}b, default "b", index }
        unique { ${long}a, ${long}c }
        unique { ${long}b, ${long}c }
        index { ${long}a desc, ${long}c }
        index { ${long}a, ${long}c desc }
      }
      model M${long}b { reference other { to M${long}a } }`);
    await database.expectMade(schema);
    const names = namesIn(schema);
    expect(names.filter((name) => Buffer.byteLength(name) > 63)).to.deep.equal([]);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('of tables, columns and types are those of the definition, whatever the order of the files', async () => {
    const long = 'a_name_that_goes_on_and_on_'.repeat(3);
    const files = [
      { path: 'a.kiln', text: `enum Line { a } enum X${long}a { a } model M${long}a { field ${long} { type Line } }` },
      {
        path: 'b.kiln',
        text: `enum _Line { a } enum X${long}b { a } model M${long}b { field ${long} { type _Line } }`,
      },
    ];
    const definition = definitionOf(files);
    const schema = schemaFromDefinition(definition);
    await database.expectMade(schema);
    expect(schema.enums.map(({ name }) => name)).to.have.members(definition.enums.map(({ type }) => type));
    expect(schema.tables.map(({ name }) => name)).to.have.members(definition.models.map(({ table }) => table));
    for (const { table, fields } of definition.models) {
      const columns = tableIn(schema, table).columns.map(({ name }) => name);
      expect(columns).to.deep.equal(fields.map(({ column }) => column));
    }
    const [first, second] = files.map(({ text }) => text) as [string, string];
    const swapped = [
      { path: 'a.kiln', text: second },
      { path: 'b.kiln', text: first },
    ];
    expect(definitionOf(swapped)).to.deep.equal(definition);
  });

  it('of exactly 63 bytes are as they were written', async () => {
    const [fits, tooLong] = ['x'.repeat(63), 'y'.repeat(64)];
    const schema = schemaOf(`model ${fits} { field ${fits} { type string } field ${tooLong} { type string } }`);
    await database.expectMade(schema);
    const { name, columns } = tableIn(schema, fits);
    expect([name, columns[1]?.name]).to.deep.equal([fits, fits]);
    expect(columns[2]?.name).to.match(/^y{54}_[0-9a-f]{8}$/);
  });

  it('that authors chose are theirs, even where another one would be shortened to the same', async () => {
    const long = (short: string) => `model ${'m'.repeat(70)} {} ${short}`;
    const shortened = schemaOf(long('')).tables[0]?.name ?? '';
    const schema = schemaOf(long(`model ${shortened} { field a { type string } }`));
    await database.expectMade(schema);
    expect(tableIn(schema, shortened).columns).to.have.length(2);
    expect(schema.tables).to.have.length(2);
  });

  it('stay apart where they would meet', async () => {
    const schema = schemaOf(`
      enum Post_pkey { a }
      enum Status { a }
      model Post {
        field a { type string }
        field a_b { type string, unique }
        field b_c { type Status, nullable }
        field c { type string }
        field c_desc { type Post_pkey, nullable, default "a" }
        unique { a, b_c }
        unique { a_b, c }
        index { a, b_c }
        index { a_b, c }
        index { a, c desc }
        index { a, c_desc }
      }
      model Post_a { field b { type string, unique } }
      model Post_a_b_key {}
      model Post_a_pkey {}
      model PostIdSeq {}
      model _Status {}`);
    await database.expectMade(schema);
    expect(tableIn(schema, 'post').uniques.map(({ name }) => name)).to.deep.equal([
      'post_a_b_5e321442_key',
      'post_a_b_c_29dd20d1_key',
      'post_a_b_c_key',
    ]);
  });

  it('are the words of SQL without harm', async () => {
    const schema = schemaOf(`
      enum Integer { select, table }
      model User { field order { type Integer, default "select" } field select { type string, unique } }
      model Table { reference user { to User } reference table { to Table, nullable } index { user desc, table } }
      model Order { field default { type boolean, default true } }`);
    await database.expectMade(schema);
  });

  it('of enums are never those of types of Postgres', async () => {
    const { rows } = await database.client.query<{ readonly name: string }>(`
      SELECT initcap(left(typname, 1)) || substr(typname, 2) AS name FROM pg_type
      WHERE typnamespace = 'pg_catalog'::regnamespace AND left(typname, 1) <> '_' AND left(typname, 3) <> 'pg_'`);
    const names = ['_text', ...rows.map(({ name }) => name)];
    expect(names).to.include.members(['Line', 'Money', 'Text']);
    const schema = schemaOf(`
      model Line_enum {}
      model Thing { ${names.map((name) => `field x_${name} { type ${name}, default "a" }`).join('\n')} }
      ${names.map((name) => `enum ${name} { a }`).join('\n')}`);
    await database.expectMade(schema);
    expect(schema.enums).to.have.length(names.length);
  });

  it('of enums are made as those of tables are', () => {
    const written = ['OrderStatus', 'HTTPMethod', 'a1B2', 'X', 'oAuth2Kind', 'ABCDef', 'snake_Case', 'V2API'];
    const schema = schemaOf(written.map((name) => `enum ${name} { a }`).join('\n'));
    expect(schema.enums.map(({ name }) => name)).to.deep.equal(written.map(snakeCase).sort());
  });

  it('stay apart in programs that nobody would write', async () => {
    let made = 0;
    const property = fc.asyncProperty(strangeProgram, async (text) => {
      const { definition } = compile([{ path: 'main.kiln', text }]);
      if (!definition) return;
      made += 1;
      await database.expectMade(schemaFromDefinition(definition));
    });
    await fc.assert(property, { numRuns: 40 });
    expect(made).to.be.greaterThan(20);
  });
});

/** Few parts, so that the names of tables, columns and keys meet often; one so long that many names are cut. */
const PARTS = ['a', 'b', 'id', 'key', 'idx', 'seq', 'pkey', 'desc', 'x'.repeat(30)];

const names = fc.uniqueArray(
  fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('_')),
  { minLength: 3, maxLength: 5 },
);

interface StrangeModel {
  readonly name: string;
  readonly fields: readonly string[];
  readonly flags: readonly string[];
}

const strangeProgram = names.chain((tables) => {
  const flags = fc.array(fc.constantFrom('', ', unique', ', index'), { minLength: 5, maxLength: 5 });
  const models = tables.map((name) => fc.record({ name: fc.constant(name), fields: names, flags }));
  return fc.tuple(...models).map((drawn) => drawn.map(strangeModel).join('\n'));
});

function strangeModel({ name, fields, flags }: StrangeModel, at: number, models: readonly StrangeModel[]): string {
  const own = fields.filter((field) => field !== 'id');
  const [first, second] = own;
  const members = [
    ...own.map((field, n) => `field ${field} { type string${flags[n]} }`),
    `reference r { to ${models[(at + 1) % models.length]?.name}, nullable }`,
    `unique { ${first}, ${second} }`,
    `unique { ${second}, ${first} }`,
    `index { ${first}, ${second} desc }`,
    `index { r desc, ${first} }`,
  ];
  return `model ${name} {\n  ${members.join('\n  ')}\n}`;
}

/** All that share a name space. */
function namesIn({ enums, tables }: Schema): readonly string[] {
  return [
    ...enums.map(({ name }) => name),
    ...tables.flatMap((table) => [
      table.name,
      ...table.columns.flatMap(({ identity }) => (identity ? [identity.sequence] : [])),
      ...[table.primaryKey, ...table.uniques, ...table.foreignKeys, ...table.indexes].map(({ name }) => name),
    ]),
  ];
}
