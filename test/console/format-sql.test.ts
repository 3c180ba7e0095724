import { expect } from 'chai';
import { formattedSql } from '../../console/ui/highlight.ts';

describe('a statement in the console', () => {
  it('has a line for each clause, and inner queries are indented', () => {
    const text = `SELECT p."id", (SELECT count(*) FROM "x" WHERE "a" = 'from (') FROM "post" AS p LEFT JOIN "user" AS u ON u."id" = p."from" WHERE lower(p."t") = $1 ORDER BY p."id" LIMIT $2`;
    expect(formattedSql(text)).to.equal(
      [
        'SELECT p."id", (',
        '  SELECT count(*)',
        '  FROM "x"',
        `  WHERE "a" = 'from ('`,
        ')',
        'FROM "post" AS p',
        'LEFT JOIN "user" AS u ON u."id" = p."from"',
        'WHERE lower(p."t") = $1',
        'ORDER BY p."id"',
        'LIMIT $2',
      ].join('\n'),
    );
  });

  it('says the same as before', () => {
    const text =
      'WITH a AS (DELETE FROM "t" WHERE x = 1 RETURNING *) INSERT INTO "u" ("a", "b") VALUES ($1, $2) ON CONFLICT DO NOTHING';
    const bare = (sql: string): string => sql.replaceAll(/\s+/g, '');
    expect(bare(formattedSql(text))).to.equal(bare(text));
  });
});
