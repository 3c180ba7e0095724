import { expect } from 'chai';
import { formattedSql, withTableNames } from '../../console/ui/highlight.ts';

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

  it('has the names of tables, and of inner queries', () => {
    const inner = 'SELECT "#0".*, "#0"."position" AS "#0" FROM "category" AS "#0" LIMIT 1001';
    const count = '(SELECT count(*) FROM "product" AS "#2" WHERE "#2"."category_id" = "#1"."id")';
    expect(withTableNames(`SELECT "#1"."name", (${count}) FROM (${inner}) AS "#1" ORDER BY "#1"."#0"`)).to.equal(
      'SELECT "category_2"."name", ((SELECT count(*) FROM "product" WHERE "product"."category_id" = "category_2"."id")) FROM (SELECT "category".*, "category"."position" AS "key_0" FROM "category" LIMIT 1001) AS "category_2" ORDER BY "category_2"."key_0"',
    );
  });
});
