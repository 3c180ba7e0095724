import { readdirSync, rmSync } from 'node:fs';
import { basename } from 'node:path';

/** Only after a build: a command that runs meanwhile may still load them. */
export function removeOldChunks(folder, outputs) {
  const current = new Set(Object.keys(outputs).map((output) => basename(output)));
  for (const chunk of readdirSync(`${folder}/chunks`)) {
    if (!current.has(chunk)) rmSync(`${folder}/chunks/${chunk}`);
  }
}
