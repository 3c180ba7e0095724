import type { MigrationStep } from '../../compiler/definition/migration.ts';
import type { Deed, ReleaseDeed } from './plan.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

const RIGHT = `
  SELECT has_database_privilege(current_database(), 'CREATE') AS granted, current_user AS role,
    format('GRANT CREATE ON DATABASE %I TO %I;', current_database(), current_user) AS grant`;

interface RightRow {
  readonly granted: boolean;
  readonly role: string;
  readonly grant: string;
}

/**
 * A release that changes tables may make a schema for the previous release. That needs a right on the database, which a role
 * that may make tables need not have. It is asked for before the first step: a part of a release helps nobody.
 */
export async function requireSchemaRight({ client, database }: Session, deeds: readonly Deed[]): Promise<void> {
  const deed = deeds.find(makesSchema);
  if (!deed) return;
  const { rows } = await client.query<RightRow>(RIGHT);
  const [{ granted, role, grant }] = rows as [RightRow];
  if (granted) return;
  const { position, from } = deed;
  const message = `The role "${role}" may not create schemas in the database "${database}". Release ${position} needs one for the servers of release ${from}, which keep running beside it.`;
  const remedy = `As the owner of the database, run \`${grant}\`. Then run \`migrate\` again.`;
  throw new Refusal('unsuited', message, { details: [remedy] });
}

function makesSchema(deed: Deed): deed is ReleaseDeed {
  return deed.kind === 'release' && deed.release.steps.slice(deed.stepsDone).some(hasCreateSchema);
}

function hasCreateSchema(step: MigrationStep): boolean {
  return step.kind === 'transaction' && step.statements.some(({ sql }) => /^\s*CREATE SCHEMA\b/.test(sql));
}
