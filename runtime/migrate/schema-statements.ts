import { type MigrationStatement, type ReleaseChain, schemaParts } from '../../compiler/definition/migration.ts';
import type { StepPosition } from './events.ts';

interface SchemaStatement {
  readonly place: StepPosition;
  readonly statement: MigrationStatement;
}

/** What makes the tables of an empty database, each in a transaction of its own. */
export function schemaStatements(chain: ReleaseChain): readonly SchemaStatement[] {
  const { releases } = chain;
  const release = { position: releases.length, revision: releases.at(-1)?.revision ?? '' };
  const parts = schemaParts(chain);
  return parts.map((sql, at) => ({
    place: { ...release, step: at + 1, steps: parts.length },
    statement: { sql, says: 'make the tables of the empty database', hazards: [] },
  }));
}
