/**
 * The history of a development database, kept in the database itself: every definition that it was brought to. So a
 * change of the sources is a migration like any other, and the same job carries it out.
 */
import type pg from 'pg';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { MigrationStep, ReleaseChain } from '../../compiler/definition/migration.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { digestOf, storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';

export interface DevRelease {
  readonly revision: string;
  readonly definition: Definition;
  readonly steps: readonly MigrationStep[];
}

/** In a schema of its own: what is beside it stays as empty as it is. */
export const HISTORY_SCHEMA = 'kiln_history';

const TABLE = `
  CREATE SCHEMA IF NOT EXISTS ${HISTORY_SCHEMA};
  CREATE TABLE IF NOT EXISTS ${HISTORY_SCHEMA}.releases (
    position integer PRIMARY KEY, revision text NOT NULL, definition text NOT NULL, steps text NOT NULL)`;

export async function readDevReleases(client: pg.Client): Promise<readonly DevRelease[]> {
  await client.query(TABLE);
  const { rows } = await client.query<{ revision: string; definition: string; steps: string }>(
    `SELECT revision, definition, steps FROM ${HISTORY_SCHEMA}.releases ORDER BY position`,
  );
  return rows.map(({ revision, definition, steps }) => ({
    revision,
    definition: JSON.parse(definition) as Definition,
    steps: JSON.parse(steps) as readonly MigrationStep[],
  }));
}

/** The one that comes after these. The same definition may come again, so its place is part of its name. */
export function devRelease(
  before: readonly DevRelease[],
  definition: Definition,
  steps: readonly MigrationStep[],
): DevRelease {
  const name = digestOf(JSON.stringify(definition)).slice(0, 12);
  return { revision: `dev-${before.length + 1}-${name}`, definition, steps };
}

export async function addDevRelease(client: pg.Client, position: number, release: DevRelease): Promise<void> {
  const { revision, definition, steps } = release;
  await client.query(`INSERT INTO ${HISTORY_SCHEMA}.releases VALUES ($1, $2, $3, $4)`, [
    position,
    revision,
    JSON.stringify(definition),
    JSON.stringify(steps),
  ]);
}

/** Forgets the last one, where nothing of it was carried out; whether that is so is the result. */
export async function withdrawDevRelease(client: pg.Client, position: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `DELETE FROM ${HISTORY_SCHEMA}.releases WHERE position = $1
       AND NOT EXISTS (SELECT 1 FROM kiln_releases WHERE position = $1)
       AND NOT EXISTS (SELECT 1 FROM kiln_release_progress WHERE position = $1)`,
    [position],
  );
  return rowCount === 1;
}

export function devChain(releases: readonly DevRelease[]): ReleaseChain {
  const last = releases.at(-1) as DevRelease;
  const schema = schemaFromDefinition(last.definition);
  return {
    version: 1,
    releases: releases.map(({ revision, definition, steps }) => ({
      revision,
      fingerprint: storageFingerprint(definition),
      steps,
    })),
    schema,
    schemaSql: schemaSql(schema),
  };
}
