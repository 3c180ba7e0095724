import { expect } from 'chai';
import pg from 'pg';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { compatibilitySchema, statementsOf } from '../../../compiler/definition/migration.ts';
import { releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { definitionOf } from '../emit-sql-database.ts';
import { expectSchemaOf } from './schema-after.ts';

const OWNER = 'model Owner { field name { type string } }';
const BEFORE = `${OWNER}
model Item {
  field amount { type integer }
  field code { type string }
  field note { type string, nullable }
  field rank { type integer, nullable }
  reference owner { to Owner }
}`;
const AFTER = `${OWNER}
model Item {
  field amount { type integer }
  field code { type string, normalise { lower } }
  field note { type string, backfill "costs " + stringify(amount) }
  field rank { type decimal, backfill cents + 1 }
  field cents { type integer, backfill amount * 100 }
  field half { type float, nullable, backfill amount / 2 }
  field twice { type integer, default 0, backfill cents * 2 }
  field key { type string, backfill code + "!" }
  field byline { type string, backfill owner.name }
  reference owner { to Owner }
}`;

describe('a field that a backfill computes', () => {
  let [previous, next]: Definition[] = [];
  before(async () => {
    await loadGrammar();
    [previous, next] = [BEFORE, AFTER].map((text) => definitionOf([{ path: 'main.kiln', text }]));
  });

  it('follows what the previous release changes, until that release is gone', async () => {
    const { client, url } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous as Definition)));
    await client.query(`INSERT INTO owner (name) VALUES ('Ada'), ('Bob')`);
    await client.query(
      `INSERT INTO item (amount, code, note, rank, owner_id) VALUES (1, 'A', NULL, NULL, 1), (2, 'B', 'mine', 7, 1)`,
    );
    const { steps, contract, beside } = releaseBetween(previous as Definition, next as Definition);
    const options = `-c search_path=${compatibilitySchema(beside)},public`;
    const old = new pg.Client({ connectionString: url, options });
    await old.connect();
    const rows = async () => (await client.query('SELECT * FROM item ORDER BY id')).rows.map(shown);
    try {
      await runSteps(client, steps, async () => {
        await old.query('UPDATE item SET amount = amount + 1');
      });
      expect(await rows()).to.deep.equal([
        expected(1 + steps.length, 'a', 'Ada', {}),
        expected(2 + steps.length, 'b', 'Ada', { note: 'mine', rank: '7' }),
      ]);
      await old.query(`INSERT INTO item (amount, code, owner_id) VALUES (5, 'C', 1)`);
      await old.query(`UPDATE item SET amount = 10, owner_id = 2 WHERE id = 1`);
      await old.query(`UPDATE item SET code = 'D', note = 'own', amount = 20 WHERE id = 2`);
      expect(await rows()).to.deep.equal([
        expected(10, 'a', 'Bob', {}),
        expected(20, 'd', 'Ada', { note: 'own', rank: '7' }),
        expected(5, 'c', 'Ada', {}),
      ]);
      // What this release writes stays, unless the previous release then changes what it is computed from.
      await client.query(`UPDATE item SET cents = 1, twice = 3, note = 'new'`);
      await old.query(`UPDATE item SET owner_id = 1`);
      expect((await rows()).map(({ cents, twice, note }) => [cents, twice, note])).to.deep.equal(
        Array(3).fill(['1', '3', 'new']),
      );
      await old.query(`UPDATE item SET amount = 30 WHERE id = 1`);
      expect((await rows())[0]).to.deep.equal(expected(30, 'a', 'Ada', { note: 'new' }));
    } finally {
      await old.end();
    }
    await runSteps(client, contract);
    await expectSchemaOf(client, next as Definition);
    expect((await rows())[0]).to.deep.equal(expected(30, 'a', 'Ada', { note: 'new' }));
  });

  it('is filled with others of its table in one pass, and the push says what follows and what cannot', () => {
    const release = releaseBetween(previous as Definition, next as Definition);
    const filled = release.steps.flatMap((step) => (step.kind === 'backfill' ? [step.columns ?? step.column] : []));
    expect(filled.slice(0, 4)).to.deep.equal(['rank', 'code', ['note', 'cents'], ['note', 'cents']]);
    expect(notesOf(release)).to.include.members([
      '"cents" of "item" is computed again when the previous release changes "amount", even where this release has written it',
      '"note" of "item" is computed again when the previous release changes "amount", where it was filled',
      '"byline" of "item" does not follow what the previous release changes in "owner" after the backfill',
    ]);
  });
});

describe('a backfill that reads other records', () => {
  const source = (more: string) => `
    model Country { field tax { type integer } }
    model Owner {
      field name { type string }
      reference country { to Country }
      relation items { from Item, through owner }
      computed levy { country.tax * 2 }
    }
    model Item {
      field amount { type integer }
      reference owner { to Owner }
      reference parent { to Item, nullable }
      relation parts { from Part, through item }
      query first { from parts, order by { id asc }, first }
      computed total { amount + sum(parts.price) }
      ${more}
    }
    model Part { field price { type integer } reference item { to Item } }`;

  for (const [backfill, tables, own] of [
    ['owner.country.tax', '"country" and "owner"', '"owner_id"'],
    ['owner.levy', '"country" and "owner"', '"owner_id"'],
    ['count(parts)', '"part"', null],
    ['count(owner.items)', '"item"', '"owner_id"'],
    ['total', '"part"', '"amount"'],
    ['first.price', '"part"', null],
    ['parent.amount', '"item"', '"parent_id"'],
  ] as const) {
    it(`is named with what cannot follow: ${backfill}`, async () => {
      await loadGrammar();
      const texts = ['', `field size { type integer, nullable, backfill ${backfill} }`].map(source);
      const [before, after] = texts.map((text) => definitionOf([{ path: 'main.kiln', text }]));
      const again = `"size" of "item" is computed again when the previous release changes ${own}, even where this release has written it`;
      expect(notesOf(releaseBetween(before as Definition, after as Definition))).to.deep.equal([
        ...(own === null ? [] : [again]),
        `"size" of "item" does not follow what the previous release changes in ${tables} after the backfill`,
      ]);
    });
  }
});

function notesOf({ steps }: ReturnType<typeof releaseBetween>): readonly string[] {
  return steps
    .flatMap(statementsOf)
    .flatMap(({ hazards }) => hazards.flatMap((hazard) => (hazard.kind === 'shared-values' ? [hazard.what] : [])));
}

function shown({ amount, code, note, rank, cents, half, twice, key, byline }: Record<string, string>) {
  return { amount, code, note, rank, cents, half, twice, key, byline };
}

/** What the backfills give, or else the values that the previous release has given itself. */
function expected(amount: number, code: string, owner: string, own: { note?: string; rank?: string }) {
  const cents = amount * 100;
  return {
    amount: String(amount),
    code,
    note: own.note ?? `costs ${amount}`,
    rank: own.rank ?? String(cents + 1),
    cents: String(cents),
    half: amount / 2,
    twice: String(cents * 2),
    key: `${code}!`,
    byline: owner,
  };
}
