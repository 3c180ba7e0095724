/** Views, checks, keys that wait, indexes of another kind: what no schema asks for, and none has words for. */
import type pg from 'pg';
import { HERE, IS_SEARCH } from './catalog.ts';

export interface Oddity {
  readonly kind: 'relation' | 'constraint' | 'index' | 'column';
  readonly table: string;
  readonly name: string;
  /** `is not validated` */
  readonly says: string;
}

export async function oddities(client: pg.Client): Promise<readonly Oddity[]> {
  const { rows } = await client.query<Oddity>(ODDITIES);
  return rows;
}

const ODDITIES = `
  SELECT 'relation' AS kind, relname AS table, relname AS name, 'is no table' AS says FROM pg_class
  WHERE relnamespace = ${HERE} AND relkind NOT IN ('r', 'i', 'S')
  UNION ALL
  SELECT 'constraint', relname, conname,
    CASE
      WHEN contype = 'c' THEN 'is a check'
      WHEN contype NOT IN ('p', 'u', 'f', 'n') THEN 'is a constraint of another kind'
      WHEN NOT convalidated THEN 'is not validated'
      WHEN condeferrable THEN 'can be deferred'
      ELSE 'has rules of another kind' END
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
  WHERE connamespace = ${HERE} AND (
    contype NOT IN ('p', 'u', 'f', 'n') OR condeferrable OR NOT convalidated
    OR contype = 'f' AND (confupdtype <> 'a' OR confmatchtype <> 's' OR confdeltype NOT IN ('c', 'n', 'r')))
  UNION ALL
  SELECT 'index', indexed.relname, named.relname,
    CASE
      WHEN NOT indisvalid THEN 'is not valid'
      WHEN indpred IS NOT NULL THEN 'has only some of the rows'
      WHEN indisunique THEN 'is unique'
      ELSE 'is an index of another kind' END
  FROM pg_index
    JOIN pg_class named ON named.oid = indexrelid
    JOIN pg_class indexed ON indexed.oid = indrelid
    JOIN pg_am ON pg_am.oid = named.relam
  WHERE named.relnamespace = ${HERE} AND (
    (amname <> 'btree' OR indexprs IS NOT NULL) AND NOT (amname = 'gin' AND ${IS_SEARCH})
    OR indpred IS NOT NULL OR indnatts <> indnkeyatts
    OR NOT indisvalid OR indnullsnotdistinct
    OR indisunique AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    OR EXISTS (SELECT FROM unnest(indoption) AS option WHERE option NOT IN (0, 3)))
  UNION ALL
  SELECT 'column', relname, attname, 'has values of its own making'
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = ${HERE} AND relkind = 'r' AND NOT attisdropped AND (attgenerated <> '' OR attidentity = 'a')`;
