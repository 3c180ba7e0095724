/**
 * The rights of the role of `migrate`, and the compatibility schemas of a release: its own, in which later releases
 * keep what its servers need, and those of earlier releases. Servers search theirs first, so it is made before they
 * start, and no other role can make it.
 */
import { compatibilitySchemaIn, compatibilitySuffix, type ReleaseChain } from '../../compiler/definition/migration.ts';
import { imageReleaseOf } from '../query/database-release.ts';
import type { PlanStep } from './plan.ts';
import { Refusal } from './refusal.ts';
import { isForDevelopment } from './release-state.ts';
import type { Session } from './session.ts';

interface SchemaRow {
  /** Null for a development database, which has none. */
  readonly name: string | null;
  /** Null where it does not exist. */
  readonly owner: string | null;
  /** The owner of the tables, or the role that will make them. */
  readonly wanted: string;
  readonly mayCreate: boolean;
  readonly mayMakeTables: boolean;
  readonly role: string;
  readonly database: string;
  /** The statement that makes the schema. */
  readonly create: string;
  /** The statement that grants the right to make tables. */
  readonly grant: string;
}

const RIGHTS = `
  SELECT name, pg_get_userbyid(nspowner) AS owner, wanted, current_user AS role, quote_ident(current_database()) AS database,
    has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
    coalesce(has_schema_privilege(place, 'USAGE') AND has_schema_privilege(place, 'CREATE'), true) AS "mayMakeTables",
    format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I; GRANT USAGE ON SCHEMA %1$I TO PUBLIC', coalesce(name, ''), wanted)
      AS create,
    format('GRANT USAGE, CREATE ON SCHEMA %I TO %I;', $2::text, current_user) AS grant
  FROM CAST(to_regnamespace(quote_ident($2)) AS oid) AS place, coalesce((
      SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = to_regclass('kiln_releases')), current_user) AS wanted
    LEFT JOIN unnest($1::text[]) AS name ON true LEFT JOIN pg_namespace ON nspname = name`;

/**
 * Throws where this role lacks a right that is needed, or a schema belongs to somebody else: a part of a release helps
 * nobody.
 */
export async function requireRights(
  session: Session,
  chain: ReleaseChain,
  steps: readonly PlanStep[],
): Promise<readonly SchemaRow[]> {
  const { client, schema } = session;
  const { rows } = await client.query<SchemaRow>(RIGHTS, [schemasFor(schema, chain, steps), schema]);
  for (const row of rows) refuse(row, session, steps.length > 0);
  return rows;
}

export async function makeSchemas(session: Session, chain: ReleaseChain, steps: readonly PlanStep[]): Promise<void> {
  const rows = await requireRights(session, chain, steps);
  const missing = rows.filter(({ name, owner }) => name !== null && owner === null);
  for (const { create } of missing) await session.client.query(create);
  // Another process may have been quicker.
  if (missing.length > 0) await requireRights(session, chain, steps);
}

/** The schemas of releases whose servers work no more, if they are empty. A contraction drops what is in the others. */
const LEFT = `
  SELECT format('DROP SCHEMA %I', nspname) AS drop FROM pg_namespace
  WHERE nspname ~ $1 AND nspname <> ALL ($2) AND nspowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('kiln_releases'))
    AND NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid)
    AND NOT EXISTS (SELECT FROM pg_proc WHERE pronamespace = pg_namespace.oid)
    AND NOT EXISTS (SELECT FROM pg_type WHERE typnamespace = pg_namespace.oid)`;

/** `before` is the release whose servers may still be there. */
export async function dropLeftSchemas(
  { client, schema }: Session,
  chain: ReleaseChain,
  before: string | null,
): Promise<void> {
  const kept = [imageReleaseOf(chain).fingerprint, ...(before === null ? [] : [before])];
  const pattern = `^kiln_[0-9a-f]{12}${compatibilitySuffix(schema)}$`;
  const names = kept.map((each) => compatibilitySchemaIn(schema, each));
  const { rows } = await client.query<{ drop: string }>(LEFT, [pattern, names]);
  for (const { drop } of rows) await client.query(drop);
}

function schemasFor(schema: string, chain: ReleaseChain, steps: readonly PlanStep[]): readonly string[] {
  const { revision, fingerprint } = imageReleaseOf(chain);
  if (isForDevelopment(revision)) return [];
  const before = steps.flatMap((step) => (step.kind === 'release' ? (step.release.beside ?? []) : []));
  return [...new Set([...before, fingerprint].map((each) => compatibilitySchemaIn(schema, each)))];
}

/** All that is done needs the right to make tables, if only those of the ledger. */
function refuse(row: SchemaRow, session: Session, isChanging: boolean): void {
  const { name, owner, wanted, mayCreate, mayMakeTables, role, database, grant: tables } = row;
  if (isChanging && !mayMakeTables) {
    const message = `The role "${role}" may not create tables in the schema "${session.schema}" of the database "${session.database}".`;
    const remedy = `As the owner of the schema, run \`${tables}\`. Then run \`migrate\` again.`;
    throw new Refusal('unsuited', message, { details: [remedy] });
  }
  if (name === null) return;
  if (owner === null && !mayCreate) {
    const message = `The role "${role}" may not create schemas in the database ${database}. Kiln needs the schema "${name}" for servers that keep running beside a later release.`;
    const grant = `GRANT CREATE ON DATABASE ${database} TO "${role.replaceAll('"', '""')}";`;
    const remedy = `As the owner of the database, run \`${grant}\`. Then run \`migrate\` again.`;
    throw new Refusal('unsuited', message, { details: [remedy] });
  }
  if (owner !== null && owner !== wanted) {
    const message = `The schema "${name}" belongs to the role "${owner}", but the tables belong to "${wanted}". Servers look into this schema first, so nobody else may own it.`;
    const remedy = `As "${owner}" or a superuser, run \`DROP SCHEMA "${name}" CASCADE;\`. Then run \`migrate\` again. Look who has used "${owner}": Kiln never creates a schema for another role.`;
    throw new Refusal('unsuited', message, { details: [remedy] });
  }
}
