/** Folders as images have them: the blog alone, and the blog among many other models. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionText } from '../../compiler/definition/artifacts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { ReleaseChain } from '../../compiler/definition/migration.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaInParts } from '../../compiler/emit/sql/schema-sql.ts';
import { storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { blogProgram } from '../api/program.ts';

export async function writeFolder(folder: string, models: number): Promise<void> {
  const { definition } = await blogProgram(models);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('definition.json', definitionText(definition));
  write('openapi.json', openApiText(openApiFromDefinition(definition, { title: 'start', version: '1' })));
  write('releases.json', JSON.stringify(chainOf(definition)));
}

/** Its first release. */
function chainOf(definition: Definition): ReleaseChain {
  const release = { revision: '1'.padStart(40, '0'), fingerprint: storageFingerprint(definition), steps: [] };
  return { version: 1, releases: [release], ...schemaInParts(schemaFromDefinition(definition)) };
}
