import type pg from 'pg';
import { HERE } from './catalog.ts';

/** Of all that the catalog has about each table, by its name. Two equal digests are of two equal tables. */
export async function tableDigests(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ readonly name: string; readonly digest: string }>(DIGESTS);
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** What other rows of the catalog say is written with its name: a type, the target of a key, a sequence. */
const DIGESTS = `
  SELECT relname AS name, md5(string_agg(part, E'\\n' ORDER BY part)) AS digest
  FROM pg_class JOIN (
    SELECT attrelid AS owner, concat_ws(' ', format_type(atttypid, atttypmod), pg_attribute.*) AS part
    FROM pg_attribute WHERE attnum > 0
    UNION ALL
    SELECT adrelid, pg_attrdef::text FROM pg_attrdef
    UNION ALL
    SELECT conrelid, concat_ws(' ', confrelid::regclass, pg_constraint.*) FROM pg_constraint
    UNION ALL
    SELECT indrelid, concat_ws(' ', relname, relnamespace, relam, pg_index.*)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    UNION ALL
    SELECT refobjid, concat_ws(' ', relname, refobjsubid, deptype)
    FROM pg_depend JOIN pg_class ON pg_class.oid = objid
    WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND relkind = 'S'
  ) AS parts ON owner = pg_class.oid
  WHERE relnamespace = ${HERE} AND relkind = 'r'
  GROUP BY relname`;
