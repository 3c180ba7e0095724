/** Postgres's answers, for the values that the server must agree with. */
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: Promise<TestDatabase> | undefined;

/** What an expression over columns of texts gives for each row, as text. */
export async function answersOf(
  sql: string,
  columns: Readonly<Record<string, readonly (string | null)[]>>,
): Promise<readonly (string | null)[]> {
  database ??= createDatabase();
  const { client } = await database;
  const names = Object.keys(columns);
  const arrays = names.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const { rows } = await client.query({
    text: `SELECT (${sql})::text FROM unnest(${arrays}) WITH ORDINALITY AS t (${names.join(', ')}, position) ORDER BY position`,
    values: Object.values(columns),
    rowMode: 'array',
  });
  return rows.map(([answer]) => answer as string | null);
}
