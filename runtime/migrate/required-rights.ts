import type { MigrationStep } from '../../compiler/definition/migration.ts';
import type { Deed, ReleaseDeed } from './plan.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

const RIGHTS = `
  SELECT current_user AS role,
    coalesce(has_schema_privilege(place, 'USAGE') AND has_schema_privilege(place, 'CREATE'), true) AS "inSchema",
    format('GRANT USAGE, CREATE ON SCHEMA %I TO %I;', $1::text, current_user) AS "grantSchema",
    has_database_privilege(current_database(), 'CREATE') AS "inDatabase",
    format('GRANT CREATE ON DATABASE %I TO %I;', current_database(), current_user) AS "grantDatabase"
  FROM CAST(to_regnamespace(quote_ident($1)) AS oid) AS place`;

interface RightsRow {
  readonly role: string;
  readonly inSchema: boolean;
  readonly grantSchema: string;
  readonly inDatabase: boolean;
  readonly grantDatabase: string;
}

interface MissingRight {
  readonly message: string;
  readonly remedy: string;
}

/**
 * All that is done needs the right to make tables, if only those of the ledger. A release that changes tables may make a
 * schema for the previous release too, which needs a right on the database. They are asked for before the first step: a
 * part of a release helps nobody.
 */
export async function requireRights({ client, database, schema }: Session, deeds: readonly Deed[]): Promise<void> {
  if (deeds.length === 0) return;
  const { rows } = await client.query<RightsRow>(RIGHTS, [schema]);
  const [{ role, inSchema, grantSchema, inDatabase, grantDatabase }] = rows as [RightsRow];
  const deed = deeds.find(makesSchema);
  const missing: MissingRight[] = [];
  if (!inSchema)
    missing.push({
      message: `The role "${role}" may not create tables in the schema "${schema}" of the database "${database}".`,
      remedy: `As the owner of the schema, run \`${grantSchema}\`.`,
    });
  if (deed && !inDatabase)
    missing.push({
      message: `The role "${role}" may not create schemas in the database "${database}". Release ${deed.position} needs one for the servers of release ${deed.from}, which keep running beside it.`,
      remedy: `As the owner of the database, run \`${grantDatabase}\`.`,
    });
  if (missing.length === 0) return;
  const remedies = [...missing.map(({ remedy }) => remedy), 'Then run `migrate` again.'];
  throw new Refusal('unsuited', missing.map(({ message }) => message).join(' '), { details: [remedies.join(' ')] });
}

function makesSchema(deed: Deed): deed is ReleaseDeed {
  return deed.kind === 'release' && deed.release.steps.slice(deed.stepsDone).some(hasCreateSchema);
}

function hasCreateSchema(step: MigrationStep): boolean {
  return step.kind === 'transaction' && step.statements.some(({ sql }) => /^\s*CREATE SCHEMA\b/.test(sql));
}
