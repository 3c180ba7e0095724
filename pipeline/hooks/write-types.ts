import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { kilnFolderOf, makeKilnFolder } from '../../files/kiln-folder.ts';
import { writeWhole } from '../../files/write-file.ts';
import { hookTypes, TYPES_FILE } from './hook-types.ts';

/**
 * Keeps the types for the project's hooks where editors find them: `import type { Context } from '../.kiln/hooks.d.ts'`.
 * Gives a sentence where they cannot be written. A file that is right is left alone, so that nothing that watches wakes.
 */
export function writeHookTypes(projectFolder: string, definition: Definition): string | undefined {
  const text = hookTypes(definition);
  const file = join(kilnFolderOf(projectFolder), TYPES_FILE);
  if (text === undefined || (existsSync(file) && readFileSync(file, 'utf8') === text)) return undefined;
  return makeKilnFolder(projectFolder) ?? writeWhole(file, text);
}
