/**
 * The rows of the blog, always the same: 1,000 authors, 10,000 posts of which every tenth is a draft, ten comments to each
 * post, bodies of 400 bytes, and 450 weeks of twenty published posts; 100,000 products, and 10,000 orders of ten each. Written
 * for the tables that Kiln makes. No table is empty: Postgres would plan the checks of its foreign keys for an empty table, and
 * read all of it for each new line.
 */

/** Of each product. */
const STOCK = 1_000_000;

export const FILL = `
INSERT INTO author (name, email)
SELECT 'Author ' || n, 'author' || n || '@example.com' FROM generate_series(1, 1000) n;

INSERT INTO post (author_id, slug, title, body, published, published_at, week)
SELECT
  n % 1000 + 1,
  'post-' || n,
  ${titleOf('n')},
  ${text("'Post ' || n || ' has this to say. '")},
  n % 10 <> 0,
  CASE WHEN n % 10 <> 0 THEN ${moment('n')} END,
  (n - n / 10 - 1) / 20 + 1
FROM generate_series(1, 10000) n;

INSERT INTO comment (post_id, author_name, body, created_at)
SELECT (n - 1) / 10 + 1, 'Reader ' || n, ${text("'Reader ' || n || ' answers this. '")}, ${moment('n')}
FROM generate_series(1, 100000) n;

INSERT INTO product (name, stock) SELECT 'Product ' || n, ${STOCK} FROM generate_series(1, 100000) n;

INSERT INTO "order" (customer) SELECT 'Reader ' || n FROM generate_series(1, 10000) n;
INSERT INTO order_line (order_id, product_id, quantity)
SELECT (n - 1) / 10 + 1, n, 1 FROM generate_series(1, 100000) n;
`;

/** What was written since, undone. */
export const UNDO = `
DELETE FROM comment WHERE id > 100000;
UPDATE post SET title = ${titleOf('id')} WHERE title <> ${titleOf('id')};
DELETE FROM "order" WHERE id > 10000;
ALTER TABLE "order" ALTER COLUMN id RESTART WITH 10001;
UPDATE product SET stock = ${STOCK} WHERE stock <> ${STOCK};
`;

export const SETTLE = 'VACUUM (FREEZE, ANALYZE) author, post, comment, product, order_line, "order"';

function titleOf(number: string): string {
  return `'The title of post ' || ${number}`;
}

function text(sentence: string): string {
  return `left(repeat(${sentence}, 20), 400)`;
}

/** Milliseconds that never end in a zero: every server writes them alike. */
function moment(number: string): string {
  return `timestamptz '2026-01-01 00:00:00.123Z' + ${number} * interval '1 minute'`;
}
