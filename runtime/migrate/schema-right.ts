/**
 * The compatibility schemas of a release: its own, in which later releases keep what its servers need, and those of the
 * releases before it. Servers look into theirs first, so it is made before they are there, and no other role can make it.
 */
import { compatibilitySchemaIn, compatibilitySuffix, type ReleaseChain } from '../../compiler/definition/migration.ts';
import { imageReleaseOf } from '../query/image-release.ts';
import type { Deed } from './plan.ts';
import { Refusal } from './refusal.ts';
import { isForDevelopment } from './release-state.ts';
import type { Session } from './session.ts';

interface SchemaRow {
  readonly name: string;
  /** Null where it does not exist. */
  readonly owner: string | null;
  /** Of the tables, or the role that will make them. */
  readonly wanted: string;
  readonly mayCreate: boolean;
  readonly role: string;
  readonly database: string;
  /** What makes it. */
  readonly create: string;
}

const SCHEMAS = `
  SELECT name, pg_get_userbyid(nspowner) AS owner, wanted, current_user AS role, quote_ident(current_database()) AS database,
    has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
    format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I; GRANT USAGE ON SCHEMA %1$I TO PUBLIC', name, wanted) AS create
  FROM unnest($1::text[]) AS name LEFT JOIN pg_namespace ON nspname = name, (
    SELECT coalesce((SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = to_regclass('kiln_releases')), current_user)
      AS wanted) AS tables`;

/** Refuses where one belongs to somebody else, or this role may not make it: a part of a release helps nobody. */
export async function requireSchemas(session: Session, chain: ReleaseChain, deeds: readonly Deed[]): Promise<void> {
  for (const row of await schemasFor(session, chain, deeds)) refuse(row);
}

export async function makeSchemas(session: Session, chain: ReleaseChain, deeds: readonly Deed[]): Promise<void> {
  const missing = (await schemasFor(session, chain, deeds)).filter((row) => refuse(row).owner === null);
  for (const { create } of missing) await session.client.query(create);
  // Somebody may have been quicker.
  if (missing.length > 0) await requireSchemas(session, chain, deeds);
}

/** Those of releases whose servers work no more, as far as there is nothing in them. What is there, a contraction drops. */
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

async function schemasFor({ client, schema }: Session, chain: ReleaseChain, deeds: readonly Deed[]) {
  const { revision, fingerprint } = imageReleaseOf(chain);
  if (isForDevelopment(revision)) return [];
  const before = deeds.flatMap((deed) => (deed.kind === 'release' ? (deed.release.beside ?? []) : []));
  const names = new Set([...before, fingerprint].map((each) => compatibilitySchemaIn(schema, each)));
  return (await client.query<SchemaRow>(SCHEMAS, [[...names]])).rows;
}

function refuse(row: SchemaRow): SchemaRow {
  const { name, owner, wanted, mayCreate, role, database } = row;
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
  return row;
}
