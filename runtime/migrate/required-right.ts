import type { Deed } from './plan.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

const RIGHT = `
  SELECT current_user AS role, format('GRANT USAGE, CREATE ON SCHEMA %I TO %I;', $1::text, current_user) AS grant,
    coalesce(has_schema_privilege(place, 'USAGE') AND has_schema_privilege(place, 'CREATE'), true) AS "isThere"
  FROM CAST(to_regnamespace(quote_ident($1)) AS oid) AS place`;

interface RightRow {
  readonly role: string;
  readonly grant: string;
  readonly isThere: boolean;
}

/**
 * All that is done needs the right to make tables, if only those of the ledger. It is asked for before the first step: a
 * part of a release helps nobody.
 */
export async function requireRight({ client, database, schema }: Session, deeds: readonly Deed[]): Promise<void> {
  if (deeds.length === 0) return;
  const [row] = (await client.query<RightRow>(RIGHT, [schema])).rows;
  const { role, grant, isThere } = row as RightRow;
  if (isThere) return;
  const message = `The role "${role}" may not create tables in the schema "${schema}" of the database "${database}".`;
  const remedy = `As the owner of the schema, run \`${grant}\`. Then run \`migrate\` again.`;
  throw new Refusal('unsuited', message, { details: [remedy] });
}
