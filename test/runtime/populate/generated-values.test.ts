import { expect } from 'chai';
import { populate } from '../../../runtime/populate/populate.ts';
import { verifyPassword } from '../../../runtime/values/password.ts';
import { invalidValues, type Populating, populating } from './populating.ts';

const DEV = (model: string, count: number) => `populator Dev { populate ${model} { repeat ${count} } }`;

async function populated(program: string): Promise<Populating> {
  const made = await populating(program);
  await made.populate();
  return made;
}

describe('generated values', () => {
  it('exist for every type', async () => {
    const things = await populated(`
      enum Size { small, large }
      model Thing {
        field a { type string } field b { type integer } field c { type float } field d { type boolean }
        field e { type decimal } field f { type timestamp } field g { type date } field h { type uuid }
        field i { type json } field j { type Size }
      }
      ${DEV('Thing', 50)}`);
    const [row] = await things.rows(`
      SELECT count(a)::int a, count(b)::int b, count(c)::int c, count(d)::int d, count(e)::int e, count(f)::int f,
        count(g)::int g, count(h)::int h, count(i)::int i, count(DISTINCT j)::int j, count(DISTINCT d)::int both FROM thing`);
    expect(row).to.deep.equal({ a: 50, b: 50, c: 50, d: 50, e: 50, f: 50, g: 50, h: 50, i: 50, j: 2, both: 2 });
  });

  it('are lists that their validators accept', async () => {
    const things = await populated(`
      enum Size { small, large }
      model Thing {
        field a { type [string], validate { minItems(2) and maxItems(3) and minLength(4) } } field b { type [integer], validate { min(3) } }
        field c { type [float] } field d { type [boolean] } field e { type [decimal] } field f { type [timestamp] } field g { type [date] }
        field h { type [uuid] } field i { type [json] } field j { type [Size], validate { minItems(2) and distinct() } } field k { type [string], nullable }
        field emails { type [string], validate { isEmail() } }
      }
      ${DEV('Thing', 50)}`);
    expect(await invalidValues(things)).to.deep.equal([]);
    const [row] = await things.rows(`
      SELECT min(cardinality(a)) a, max(cardinality(a)) more, min(cardinality(c)) c, min(cardinality(d)) d, min(cardinality(e)) e, min(cardinality(f)) f,
        min(cardinality(g)) g, min(cardinality(h)) h, min(cardinality(i)) i, min(cardinality(j)) j FROM thing`);
    expect(row).to.deep.equal({ a: 2, more: 3, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 2 });
  });

  it('are unique for every type that has so many values, against the rows that are there too', async () => {
    const things = await populating(`
      model Thing {
        field a { type string, unique } field b { type integer, unique } field c { type float, unique }
        field e { type decimal, unique } field f { type timestamp, unique } field g { type date, unique }
        field h { type uuid, unique } field n { type integer, unique, default 7 }
      }
      ${DEV('Thing', 300)}`);
    await things.populate();
    await things.populate();
    await things.client.query('DELETE FROM thing WHERE id BETWEEN 100 AND 200');
    await things.populate();
    const [row] = await things.rows('SELECT count(*)::int AS count FROM thing');
    expect(row?.count).to.equal(799);
  });

  it('look like what their names say', async () => {
    const people = await populated(`
      model Person {
        field email { type string } field first_name { type string } field url { type string } field phone { type string }
        field slug { type string } field city { type string } field price { type decimal } field age { type integer }
        field created_at { type timestamp } field born_on { type date } field expires_at { type timestamp }
      }
      ${DEV('Person', 40)}`);
    const rows = await people.rows(
      `SELECT *, created_at::text AS created, expires_at::text AS expires, born_on::text AS born FROM person`,
    );
    for (const row of rows) {
      expect(row.email).to.match(/^[a-z.]+@example\.com$/);
      expect(row.first_name).to.match(/^\p{Lu}/u);
      expect(row.url).to.match(/^https:\/\//);
      expect(row.phone).to.match(/^\+\d/);
      expect(row.slug).to.match(/^[a-z0-9-]+$/);
      expect(row.price).to.match(/^\d+\.\d\d$/);
      expect(Number(row.age)).to.be.within(18, 80);
      expect(String(row.created)).to.match(/^2025-/);
      expect(String(row.expires)).to.match(/^2026-/);
      expect(String(row.born) < '2008').to.equal(true);
    }
  });

  it('satisfy the validators', async () => {
    const things = await populated(`
      validator upperCase { arg value { type string } assert { value is upper(value) } error { code "no" } }
      validator even { arg value { type integer } assert { value % 2 is 0 } error { code "odd" } }
      model Thing {
        field a { type string, validate { minLength(30) and maxLength(32) } }
        field b { type string, validate { maxLength(2) } }
        field c { type string, unique, validate { maxLength(5) and alphanumeric() } }
        field d { type string, unique, validate { pattern("^[A-Z]{2}-\\\\d{4}$") } }
        field e { type string, validate { isEmail() and maxLength(20) } }
        field f { type string, validate { isUrl() or isUuid() } }
        field g { type string, unique, validate { isUuid() } }
        field h { type string, validate { oneOf("red", "green") and not isEqual("red") } }
        field i { type integer, validate { min(3) and max(5) } }
        field j { type integer, validate { max(-10) } }
        field k { type float, validate { min(0.25) and max(0.5) } }
        field l { type decimal, validate { min(10) and max(10.01) } }
        field m { type decimal, validate { min(5000) } }
        field n { type string, validate { upperCase() and minLength(3) } }
        field o { type integer, unique, validate { even() } }
        field p { type string, validate { pattern("^(foo|ba[rz]) [0-9a-f]+$") } }
        field q { type string, unique, validate { isEmail() and maxLength(17) } }
        field r { type integer, validate { isNotEqual(5) and min(1) and max(9) } }
      }
      ${DEV('Thing', 400)}`);
    expect(await invalidValues(things)).to.deep.equal([]);
    const [row] = await things.rows('SELECT count(DISTINCT i)::int AS i, count(DISTINCT h)::int AS h FROM thing');
    expect(row).to.deep.equal({ i: 3, h: 1 });
  });

  it('are found among several for a validator that is a hook', async () => {
    const things = await populating(
      new Map([
        [
          'main.kiln',
          `validator short { arg value { type string } assert { hook { arg value value, source isShort from "own.ts" } } error { code "x" } }
           model Thing { field code { type string, unique, validate { short() } } } ${DEV('Thing', 30)}`,
        ],
        ['hooks/own.ts', 'export const isShort = ({ value }) => /^[a-z]+-[a-z]+-\\d+$/.test(value)'],
      ]),
    );
    await things.populate();
    expect(await invalidValues(things)).to.deep.equal([]);
  });

  it('choose among what exists for references, and leave some of the nullable ones empty', async () => {
    const posts = await populated(`
      model Author { field name { type string } }
      model Post { reference author { to Author } reference editor { to Author, nullable } reference previous { to Post, nullable } }
      populator Dev { populate Author { repeat 5 } populate Post { repeat 60 } }`);
    const [row] = await posts.rows(`SELECT count(DISTINCT author_id)::int AS authors, count(editor_id)::int AS editors,
      bool_and(previous_id IS NULL OR previous_id < id) AS backwards, count(previous_id)::int AS previous FROM post`);
    expect(row).to.include({ authors: 5, backwards: true });
    expect(row?.editors).to.be.within(30, 58);
    expect(row?.previous).to.be.within(30, 58);
  });

  it('keep uniques over several fields, alone, below a parent, and beside rows that are there', async () => {
    const shop = await populating(`
      enum Kind { a, b }
      model Tag { relation marks { from Mark, through tag } }
      model Page { relation marks { from Mark, through page } }
      model Mark { reference page { to Page } reference tag { to Tag } field kind { type Kind } unique { page, tag, kind } }
      model Passport { reference page { to Page, unique } field code { type string } field year { type integer } unique { code, year } }
      populator Dev {
        populate Tag { repeat 4 }
        populate Page { repeat 10, populate marks { repeat 3 } populate marks { repeat 4 } }
        populate Passport { repeat 9 }
      }
      populator More { populate Mark { repeat 10 } }`);
    await shop.populate({ seed: 3 });
    const before = await shop.rows('SELECT count(*)::int AS count FROM mark');
    await populate(shop.definition, 'More', { databaseUrl: shop.url });
    const after = await shop.rows('SELECT count(*)::int AS count FROM mark');
    expect(Number(after[0]?.count) - Number(before[0]?.count)).to.equal(10);
  });

  it('are normalised, and unique after that', async () => {
    const things = await populating(`
      model Thing {
        field full_name { type string, normalise { trim, lower } }
        field kind { type string, normalise { lower }, validate { oneOf("a", "A", "b") } }
        field mark { type string, normalise { lower }, validate { oneOf("X", "x", "y", "Y") } }
        unique { kind, mark }
      }
      model Code { field text { type string, unique, normalise { lower }, validate { pattern("^[A-Da-d]{2}$") } } }
      populator Dev { populate Thing { repeat 4 }, populate Code { repeat 10 } }`);
    await things.populate();
    const rows = await things.rows('SELECT full_name, kind, mark FROM thing');
    rows.push(...(await things.rows('SELECT text FROM code')));
    expect(rows).to.have.length(14);
    for (const row of rows) for (const text of Object.values(row)) expect(text).to.equal(String(text).toLowerCase());
  });

  it('are the defaults where there are some, whatever validators say of them', async () => {
    const things = await populated(`
      model Thing { field a { type string, default "", validate { minLength(3) } } field b { type integer, nullable, default 4 } }
      ${DEV('Thing', 2)}`);
    expect(await things.rows('SELECT a, b::int FROM thing')).to.deep.equal([
      { a: '', b: 4 },
      { a: '', b: 4 },
    ]);
  });

  it('give way to what other blocks of the run set, or have made', async () => {
    const desk = await populated(`
      model User { relation agent { from Agent, through user } }
      model Agent { reference user { to User, unique } field number { type integer, unique } }
      enum Kind { a, b }
      model Page { relation marks { from Mark, through page } }
      model Mark { reference page { to Page } reference user { to User } field kind { type Kind } unique { page, user, kind } }
      populator Dev {
        populate User { repeat as i 10, populate agent { set number i.current } }
        populate User { repeat 5 }
        populate Agent { repeat 5 }
        populate Page { repeat 20, populate marks { repeat 15, set kind "a" } populate marks { repeat 15 } }
      }`);
    const [row] = await desk.rows('SELECT count(*)::int AS agents, count(DISTINCT user_id)::int AS users FROM agent');
    expect(row).to.deep.equal({ agents: 15, users: 15 });
    const marks = await desk.rows('SELECT kind::text, count(*)::int FROM mark GROUP BY 1 ORDER BY 1');
    expect(marks).to.deep.equal([
      { kind: 'a', count: 300 },
      { kind: 'b', count: 300 },
    ]);
  });

  it('make a password hash that signs in with `password`', async () => {
    const users = await populated(`
      model User { field email { type string, unique } field secret_hash { type string, secret } }
      auth { model User, login email, password secret_hash }
      ${DEV('User', 3)}`);
    const [user] = await users.rows('SELECT secret_hash FROM "user"');
    expect(await verifyPassword('password', String(user?.secret_hash))).to.equal(true);
  });

  it('have ids that the server goes on from', async () => {
    const things = await populated(`model Thing {} model Other { field id { type uuid } } ${DEV('Thing', 12)}`);
    const [row] = await things.rows('INSERT INTO thing DEFAULT VALUES RETURNING id::int');
    expect(row?.id).to.equal(13);
  });

  it('have UUIDs of version 7 as ids, in order, also in a second run', async () => {
    const things = await populating(`model Thing { field id { type uuid } field n { type integer } }
      populator Dev { populate Thing { repeat as i 50, set n i.current } }`);
    await things.populate();
    await things.populate();
    const rows = await things.rows('SELECT id::text AS id, n::int FROM thing ORDER BY id');
    expect(rows.map(({ n }) => n)).to.deep.equal([...Array(100).keys()].map((index) => (index % 50) + 1));
    for (const { id } of rows)
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
