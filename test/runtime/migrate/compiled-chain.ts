import type { Definition } from '../../../compiler/definition/definition.ts';
import type { ReleaseChain } from '../../../compiler/definition/migration.ts';
import { releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { storageFingerprint } from '../../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { definitionOf } from '../operations/running.ts';

/** Two releases as the compiler writes them: a number becomes a text, so that triggers translate between them. */
export async function ranks(count: 1 | 2): Promise<ReleaseChain> {
  const programs = ['integer', 'string'].slice(0, count).map(program);
  return chainOf(await Promise.all(programs.map((text) => definitionOf(text))));
}

function program(type: string): string {
  return `model Post { field rank { type ${type} } } api { entrypoint Post as post { list endpoint {} } }`;
}

export function chainOf(definitions: readonly Definition[]): ReleaseChain {
  const schemas = definitions.map(schemaFromDefinition);
  const schema = schemas.at(-1);
  if (!schema) throw new Error('a chain has at least one release');
  const releases = definitions.map((definition, index) => {
    const previous = definitions[index - 1];
    const fingerprint = storageFingerprint(definition);
    const steps = previous ? releaseBetween(previous, definition) : { steps: [] };
    return { revision: `${index + 1}`.repeat(40), fingerprint, ...steps };
  });
  return { version: 1, releases, schema, schemaSql: schemaSql(schema) };
}
