import { expect } from 'chai';
import { callSql } from '../../../compiler/definition/sql/call-sql.ts';
import { sql } from '../../../compiler/definition/sql/sql.ts';
import { slugOf } from '../../../runtime/values/text.ts';
import { createDatabase } from '../../support/postgres.ts';
import { isSlow, itInBoth } from '../../support/slow.ts';

/** Of the Basic Multilingual Plane without the characters of Korean and Chinese, unless there is time for all planes. */
const LAST = isSlow ? 0x10ffff : 0x33ff;

/** Every character that a text can have, in pieces that one statement takes. */
function* pieces(): Generator<readonly number[]> {
  const all = Array.from({ length: LAST + 1 }, (_, codePoint) => codePoint).filter(
    (codePoint) => codePoint > 0 && (codePoint < 0xd800 || codePoint > 0xdfff),
  );
  for (let at = 0; at < all.length; at += 50_000) yield all.slice(at, at + 50_000);
}

describe('slugs', () => {
  itInBoth('are the same in the server and in Postgres, for every character that both know', async () => {
    const { client } = await createDatabase();
    const type = { kind: 'string' } as const;
    const call = {
      kind: 'call',
      function: 'slugify',
      arguments: [{ kind: 'literal', value: '', type }],
      type,
    } as const;
    const { text } = callSql(call, [sql`s`]);
    const different: string[] = [];
    let compared = 0;
    for (const codePoints of pieces()) {
      const texts = codePoints.map((codePoint) => `A${String.fromCodePoint(codePoint)}b`);
      const { rows } = await client.query(
        `SELECT ${text} AS slug, lower(normalize(s, NFKD) COLLATE "und-x-icu") AS letters
        FROM unnest($1::text[]) WITH ORDINALITY AS t(s, n) ORDER BY n`,
        [texts],
      );
      rows.forEach(({ slug, letters }, at) => {
        const own = texts[at] as string;
        // Two versions of Unicode may differ in which letters have another case, or are made of others.
        const isKnown = letters === own.normalize('NFKD').toLowerCase();
        if (isKnown && slug !== slugOf(own)) different.push(`U+${(codePoints[at] as number).toString(16)}`);
        if (isKnown) compared++;
      });
    }
    expect(different).to.deep.equal([]);
    expect(compared).to.be.greaterThan(LAST * 0.9);
  });
});
