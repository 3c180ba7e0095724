import type { Definition } from '../definition/definition.ts';
import { memoized } from '../definition/memo.ts';
import type { Schema, Table } from '../definition/schema.ts';
import { digestOf } from './digest.ts';
import { schemaFromDefinition } from './schema-from-definition.ts';

/**
 * The fingerprint of what a definition stores: the schema, and the form in which values are normalised. Definitions
 * with equal fingerprints can be served by one database, one in place of the other.
 */
export const storageFingerprint = memoized((definition: Definition) =>
  schemaFingerprint(schemaFromDefinition(definition), normalisedIn(definition)),
);

function normalisedIn({ models }: Definition): readonly Normalised[] {
  return models.flatMap(({ table, fields }) =>
    fields.flatMap(({ column, normalise = [] }): readonly Normalised[] =>
      normalise.length === 0 ? [] : [[table, column, normalise]],
    ),
  );
}

type Normalised = readonly [table: string, column: string, normalise: readonly string[]];

/** The order of everything in a schema is fixed already. */
export function schemaFingerprint(schema: Schema, normalised: readonly Normalised[] = []): string {
  const rest = normalised.length === 0 ? '' : `\n${JSON.stringify(normalised)}`;
  return digestOf(`${schemaText(schema)}${rest}`);
}

/** The text, as `JSON.stringify` writes it: fingerprints are compared with those of other builds of Kiln. */
function schemaText({ enums, tables, reactions }: Schema): string {
  const rest = reactions ? `,"reactions":${JSON.stringify(reactions.map(({ name, table }) => [name, table]))}` : '';
  return `{"enums":${JSON.stringify(enums)},"tables":[${tables.map(tableText).join(',')}]${rest}}`;
}

const tableText = memoized((table: Table) => JSON.stringify(table));
