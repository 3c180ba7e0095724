/**
 * The history of a development database, kept in the database itself: the steps of every release that it was brought to,
 * and the definition of the last one. So a change of the sources is a migration like any other, and the same job carries
 * it out. Older definitions are not kept: an edit costs the same after a thousand others.
 */
import type pg from 'pg';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { isLive } from '../../compiler/definition/live.ts';
import type { MigrationStep, ReleaseChain } from '../../compiler/definition/migration.ts';
import { schemaInParts } from '../../compiler/emit/sql/schema-sql.ts';
import { storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';

export interface DevRelease {
  readonly revision: string;
  readonly fingerprint: string;
  readonly steps: readonly MigrationStep[];
}

export interface DevHistory {
  /** Oldest first, one at least. */
  readonly releases: readonly DevRelease[];
  /** The definition of the last release: at least the part that is stored. */
  readonly definition: Definition;
}

/** The schema of the history. It is separate, so that the application's schema stays as empty as it is. */
export const HISTORY_SCHEMA = 'kiln_history';

const TABLE = `
  CREATE SCHEMA IF NOT EXISTS ${HISTORY_SCHEMA};
  CREATE TABLE IF NOT EXISTS ${HISTORY_SCHEMA}.releases (
    position integer PRIMARY KEY, revision text NOT NULL, fingerprint text NOT NULL, definition text, steps text NOT NULL)`;

interface Row extends Omit<DevRelease, 'steps'> {
  readonly steps: string;
  readonly definition: string | null;
}

/** Reads the history; undefined where there is none yet. */
export async function readDevHistory(client: pg.Client): Promise<DevHistory | undefined> {
  await client.query(TABLE);
  const { rows } = await client.query<Row>(
    `SELECT revision, fingerprint, steps, definition FROM ${HISTORY_SCHEMA}.releases ORDER BY position`,
  );
  const definition = rows.at(-1)?.definition;
  const releases = rows.map((row) => ({ ...row, steps: JSON.parse(row.steps) as readonly MigrationStep[] }));
  return definition ? { releases, definition: JSON.parse(definition) } : undefined;
}

/** Adds a release. The same definition may come again, so its position is part of the release's name. */
export function grownHistory(
  before: readonly DevRelease[],
  definition: Definition,
  steps: readonly MigrationStep[],
): DevHistory {
  const fingerprint = storageFingerprint(definition);
  const revision = `dev-${before.length + 1}-${fingerprint.slice(0, 12)}`;
  return { releases: [...before, { revision, fingerprint, steps }], definition };
}

/** Leaves out what stores nothing: endpoints are most of a definition, and few of them make indexes, tables or triggers. */
export function storedPart(definition: Definition): Definition {
  const isSearched = ({ response }: Endpoint) => response.kind === 'list' && response.searchable !== undefined;
  const isStored = (endpoint: Endpoint) => isSearched(endpoint) || isLive(endpoint) || endpoint.signed !== undefined;
  const endpoints = definition.endpoints.filter(isStored);
  return { ...definition, entrypoints: [], endpoints, serializable: [], populators: [], generators: [] };
}

/** Records the last release. The definition before it stays until this one is carried out. */
export async function addDevRelease(client: pg.Client, { releases, definition }: DevHistory): Promise<void> {
  const { revision, fingerprint, steps } = releases.at(-1) as DevRelease;
  await client.query(
    `INSERT INTO ${HISTORY_SCHEMA}.releases (position, revision, fingerprint, definition, steps)
     VALUES ($1, $2, $3, $4, $5)`,
    [releases.length, revision, fingerprint, JSON.stringify(storedPart(definition)), JSON.stringify(steps)],
  );
}

/** Forgets the last one, where nothing of it was carried out. The first one is made again. */
export async function withdrawDevRelease(client: pg.Client, { releases }: DevHistory): Promise<void> {
  if (releases.length === 1) return;
  await client.query(
    `DELETE FROM ${HISTORY_SCHEMA}.releases WHERE position = $1
       AND NOT EXISTS (SELECT 1 FROM kiln_releases WHERE position = $1)
       AND NOT EXISTS (SELECT 1 FROM kiln_release_progress WHERE position = $1)`,
    [releases.length],
  );
}

/** Deletes the definitions of releases before the last one, once that is applied. */
export async function forgetOldDefinitions(client: pg.Client, { releases }: DevHistory): Promise<void> {
  await client.query(`UPDATE ${HISTORY_SCHEMA}.releases SET definition = NULL WHERE position < $1`, [releases.length]);
}

export function devChain({ releases, definition }: DevHistory): ReleaseChain {
  return { version: 1, releases, ...schemaInParts(schemaFromDefinition(definition)) };
}
