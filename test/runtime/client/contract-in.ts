import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The contract that a golden client was made for. */
export function contractIn(name: string): string {
  const file = join(import.meta.dirname, '../../compiler/client/golden', `${name}.ts`);
  const found = /const CONTRACT = '([0-9a-f]{16})';/.exec(readFileSync(file, 'utf8'))?.[1];
  if (found === undefined) throw new Error(`no contract in ${file}`);
  return found;
}
