/** Full-text search. The index of a migration and the condition of a statement have the same expression, or Postgres could not use it. */
import { joined, type Sql, sql } from './sql.ts';

/**
 * The words of the columns together. They are taken as they are, in small letters: the configuration `simple` knows no
 * language, and so leaves no word out. What is behind the first 100,000 characters is not searched, because Postgres
 * keeps at most a megabyte of words.
 */
export function searchedSql(columns: readonly Sql[]): Sql {
  const texts = columns.map((column) => sql`coalesce(${column}, '')`);
  return sql`to_tsvector('pg_catalog.simple'::regconfig, left(${joined(texts, " || ' ' || ")}, 100000))`;
}

export function matchesSearch(columns: readonly Sql[], words: Sql): Sql {
  return sql`${searchedSql(columns)} @@ websearch_to_tsquery('pg_catalog.simple'::regconfig, ${words})`;
}
