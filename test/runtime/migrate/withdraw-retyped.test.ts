/** A release that gives columns of two tables another type, and may be stopped before any of their values is copied. */
import { expect } from 'chai';
import pg from 'pg';
import { compatibilitySchema, type Release, type ReleaseChain } from '../../../compiler/definition/migration.ts';
import { copyOf, createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { isSlow, itInBoth } from '../../support/slow.ts';
import { migrated } from './databases.ts';
import { withdrawingChain as chain } from './withdrawing-chain.ts';

const BEFORE = `
model User { field name { type string } }
model Item { field price { type integer, nullable }  field rank { type integer, default 0 } }
model Post { field views { type integer, nullable }  field old_author { type integer }  drop author }`;

/** The values for the reference are checked after the columns are there, and before anything is copied. */
const WITHDRAWN = `
model User { field name { type string } }
model Item { field price { type decimal, nullable }  field rank { type string, default "0" } }
model Post { field views { type decimal, nullable }  field old_author { type integer }  reference author { to User, backfill old_author } }`;

/** A type only becomes wider, so that part stays. */
const REVERTED = WITHDRAWN.replace('reference author { to User, backfill old_author }', 'drop author');

/** Some of the steps, unless there is time for each. */
const STRIDE = isSlow ? 1 : 9;

const ADVICE = 'Save these values, if somebody needs them. Then set the column to null in these records.';

function stopped(table: string, column: string): string {
  return `Records in "${table}" have values in "${column}", which is to be dropped again: 1 record.`;
}

describe('columns of another type in a release that was stopped', () => {
  let database: TestDatabase;
  let first: ReleaseChain;
  let begun: ReleaseChain;
  let whole: ReleaseChain;

  before(async () => {
    [first, begun] = await Promise.all([chain([BEFORE]), chain([BEFORE, WITHDRAWN])]);
    whole = await chain([BEFORE, WITHDRAWN, REVERTED], { by: 3, up: 2 });
  });

  /** By the number of steps of the second release. */
  const prepared = new Map<number, TestDatabase>();

  /** At the first release with rows, and then so many steps of the second one. Most tests begin with each of these. */
  async function begunWith(stopAfter: number): Promise<void> {
    const known = prepared.get(stopAfter);
    if (known === undefined) {
      await atFirst(`INSERT INTO post (views, old_author) VALUES (10, 1)`);
      expect((await migrated(begun, database.url, { stopAfter })).reason).to.equal('stopped');
      prepared.set(stopAfter, database);
    }
    database = await copyOf(known ?? database);
  }

  async function atFirst(...rows: readonly string[]): Promise<void> {
    database = await createDatabase();
    await migrated(first, database.url);
    await database.client.query(`INSERT INTO "user" (name) VALUES ('Anna')`);
    await database.client.query('INSERT INTO item (price, rank) VALUES (1, 3), (2, 0)');
    for (const row of rows) await database.client.query(row);
  }

  const allSteps = () => (begun.releases[1] as Release).steps.length;

  async function hasColumn(table: string, column: string, type: string): Promise<boolean> {
    const text = `SELECT FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = $1 AND column_name = $2 AND data_type = $3`;
    return (await database.client.query(text, [table, column, type])).rowCount === 1;
  }

  async function items(): Promise<readonly unknown[]> {
    const text = 'SELECT price::int, rank::int FROM item ORDER BY id';
    return (await database.client.query({ text, rowMode: 'array' })).rows;
  }

  /** As a server of the first release. */
  async function writtenByFirst(...statements: readonly string[]): Promise<void> {
    const path = `${compatibilitySchema((first.releases[0] as Release).fingerprint)},public`;
    const client = new pg.Client({ connectionString: database.url, options: `-c search_path=${path}` });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  const BY_FIRST = [
    'INSERT INTO item (price, rank) VALUES (3, 7)',
    'INSERT INTO item (price) VALUES (4)',
    'UPDATE item SET price = 5, rank = 8 WHERE price = 1',
  ];

  const AFTER_FIRST = [
    [5, 8],
    [2, 0],
    [3, 7],
    [4, 0],
  ];

  async function itemsAreKept(after: string): Promise<void> {
    const { result } = await migrated(whole, database.url);
    expect(result, `${after}: ${JSON.stringify(result)}`).to.deep.include({ kind: 'done', position: 3 });
    expect((await items()).toSorted(), after).to.deep.equal(AFTER_FIRST.toSorted());
  }

  itInBoth('get what the previous release writes, after whichever step it comes', async () => {
    for (let steps = 1; steps < allSteps(); steps += STRIDE) {
      await begunWith(steps);
      await writtenByFirst(...BY_FIRST);
      expect((await migrated(begun, database.url)).result, `after ${steps}`).to.deep.include({ kind: 'done' });
      expect((await items()).toSorted(), `after ${steps}`).to.deep.equal(AFTER_FIRST.toSorted());
    }
  });

  itInBoth('are dropped, whatever the previous release writes and when', async () => {
    for (let steps = 1; steps < allSteps(); steps += STRIDE) {
      await begunWith(steps);
      await writtenByFirst(...BY_FIRST);
      await itemsAreKept(`after ${steps}`);
    }
  });

  itInBoth('are dropped, also where the previous release writes between two steps of the undo', async () => {
    let isOver = false;
    for (let statements = 1; !isOver; statements += STRIDE) {
      await begunWith(allSteps() - 1);
      const cut = new AbortController();
      let seen = 0;
      const report = (event: { readonly kind: string; readonly phase?: string }) => {
        if (event.kind === 'statement' && event.phase === 'withdraw' && ++seen === statements) cut.abort();
      };
      isOver = (await migrated(whole, database.url, { signal: cut.signal, report })).result.kind === 'done';
      if (isOver) expect(statements).to.be.greaterThan(10);
      await writtenByFirst(...BY_FIRST);
      await itemsAreKept(`after ${statements} statements`);
    }
  });

  /** What the previous release cannot have is null for it from some step on. */
  const written = [
    ['item', 'price', 'numeric', '9.5', 1],
    ['item', 'rank', 'text', `'high'`, 3],
    ['post', 'views', 'numeric', '9.5', 10],
  ] as const;

  itInBoth('are not dropped after any of the steps while they have values of that release', async () => {
    let found = 0;
    for (let steps = 1; steps < allSteps(); steps += STRIDE) {
      await begunWith(steps);
      const left = new Set<string>();
      for (const [table, column, type, value] of written) {
        if (!(await hasColumn(table, column, type))) continue;
        await database.client.query(`UPDATE ${table} SET ${column} = ${value} WHERE id = 1`);
        left.add(column);
      }
      found += left.size;
      while (left.size > 0) {
        const { result } = await migrated(whole, database.url);
        const stop = result.kind === 'refused' ? result : undefined;
        const told = written.find(([table, column]) => stop?.message === stopped(table, column));
        expect(left.delete(told?.[1] ?? ''), `after ${steps}: ${JSON.stringify(result)}`).to.equal(true);
        expect(stop?.details[0]).to.equal(ADVICE);
        const [table, column, , , before] = told as (typeof written)[number];
        await database.client.query(`UPDATE ${table} SET ${column} = NULL WHERE id = 1`);
        await writtenByFirst(`UPDATE ${table} SET ${column} = ${before} WHERE id = 1`);
      }
      const { result } = await migrated(whole, database.url);
      expect(result, `after ${steps}: ${JSON.stringify(result)}`).to.deep.include({ kind: 'done', position: 3 });
      expect((await items()).toSorted(), `after ${steps}`).to.deep.equal([
        [1, 3],
        [2, 0],
      ]);
    }
    expect(found).to.be.greaterThan(15 / STRIDE);
  });

  it('are not dropped where the release failed before it copied anything', async () => {
    await atFirst('INSERT INTO post (views, old_author) VALUES (10, 99)');
    const failed = await migrated(begun, database.url);
    expect(failed.result).to.deep.include({
      kind: 'refused',
      message: 'The `backfill` of "author_id" gives some rows of "post" an id that is not in "user": 1 record.',
    });
    await writtenByFirst('INSERT INTO item (price) VALUES (4)');
    await database.client.query('UPDATE item SET price = 9.5 WHERE id = 1');
    const { result } = await migrated(whole, database.url);
    expect(result).to.deep.include({ kind: 'refused', message: stopped('item', 'price') });
    await database.client.query('UPDATE item SET price = NULL WHERE id = 1');
    expect((await migrated(whole, database.url)).result).to.deep.include({ kind: 'done', position: 3 });
    expect(await items()).to.deep.equal([
      [1, 3],
      [2, 0],
      [4, 0],
    ]);
  });
});
