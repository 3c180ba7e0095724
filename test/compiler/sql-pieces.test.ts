import { expect } from 'chai';
import {
  bindOf,
  constant,
  guarded,
  integer,
  joined,
  type Name,
  quotedName,
  type Sql,
  sql,
  typeName,
} from '../../compiler/definition/sql/sql.ts';

/** What a client could have sent. */
const text: string = '"; DROP TABLE post; --';

describe('pieces of SQL', () => {
  it('are text of the source, names and other pieces', () => {
    const table = quotedName('post');
    const piece = sql`SELECT ${constant('max')}("id")::${typeName('bigint')} FROM ${table} LIMIT ${integer(3)}`;
    expect(piece.text).to.equal('SELECT max("id")::bigint FROM "post" LIMIT 3');
    expect(piece.parameters).to.deep.equal([]);
  });

  it('have the parameters of what they are made of, in order', () => {
    const [first, second] = [() => 'a', () => 'b'];
    const { text, parameters } = sql`SELECT ${joined([bindOf(first), bindOf(second)], ', ')}`;
    expect(text).to.equal('SELECT ?, ?');
    expect(parameters).to.deep.equal([first, second]);
  });

  it('keep the other form of what they are made of', () => {
    const risky = guarded(sql`a + b`, sql`NULL`);
    const { text, guarded: other } = sql`SELECT ${risky}`;
    expect([text, other?.text]).to.deep.equal(['SELECT a + b', 'SELECT NULL']);
  });

  it('have names that end where they should', () => {
    expect(sql`SELECT * FROM ${quotedName(text)}`.text).to.equal('SELECT * FROM """; DROP TABLE post; --"');
  });

  it('have only whole numbers', () => {
    for (const number of [Number.NaN, 1.5, Number.POSITIVE_INFINITY]) expect(() => integer(number)).to.throw();
  });

  it('are never a plain string', () => {
    // Not run: what counts is that none of these lines compiles.
    const refused = (): readonly unknown[] => [
      // @ts-expect-error A string is no piece.
      sql`SELECT ${text}`,
      // @ts-expect-error Nor is a number, which `integer` checks.
      sql`SELECT ${5}`,
      // @ts-expect-error Two names in a string are a string.
      sql`SELECT ${`${quotedName('a')}.${quotedName('b')}`}`,
      // @ts-expect-error A constant is written out in the source.
      constant(text),
      // @ts-expect-error All of it.
      constant(`SELECT ${text}`),
      // @ts-expect-error Also where it is one of several.
      constant(Math.random() > 1 ? 'TRUE' : `${text} IS TRUE`),
      // @ts-expect-error A separator is a constant.
      joined([sql`a`, sql`b`], text),
      // @ts-expect-error A name is quoted.
      text satisfies Name,
      // @ts-expect-error A type is one of Postgres's, or an enum, whose name is quoted.
      typeName(text),
      // @ts-expect-error An object with the same properties is no piece.
      { text, parameters: [] } satisfies Sql,
    ];
    expect(refused).to.be.a('function');
  });
});
