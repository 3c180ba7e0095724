/** A project on the disk, for tests of what Kiln does with its folder. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { readSources } from '../../files/read-sources.ts';
import { compileSources } from '../../pipeline/cli/project.ts';

const folders: string[] = [];

/** Gone when the run is over. */
export function projectFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-project-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  addFiles(folder, files);
  return folder;
}

export function addFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

export async function definitionIn(folder: string): Promise<Definition> {
  const { definition, diagnostics } = await compileSources(readSources(folder));
  if (definition) return definition;
  throw new Error(`the project has errors: ${JSON.stringify(diagnostics)}`);
}

after('removes the projects', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});
