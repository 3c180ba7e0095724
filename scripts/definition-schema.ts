/**
 * The JSON Schema of the definition, made from its types, so that the two cannot part. Run `npm run schema` after a
 * change of compiler/definition/definition.ts or its parts; a test fails while it is stale.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';

const DEFINITION = fileURLToPath(new URL('../compiler/definition/definition.ts', import.meta.url));
export const SCHEMA = fileURLToPath(new URL('../compiler/definition/definition.schema.json', import.meta.url));

export function definitionSchema(): string {
  const generator = createGenerator({
    path: DEFINITION,
    tsconfig: fileURLToPath(new URL('../compiler/definition/tsconfig.json', import.meta.url)),
    type: 'Definition',
    topRef: true,
    additionalProperties: false,
    skipTypeCheck: true,
  });
  const schema = { $id: 'kiln-definition-1', title: 'Kiln definition', ...generator.createSchema('Definition') };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(SCHEMA, definitionSchema());
