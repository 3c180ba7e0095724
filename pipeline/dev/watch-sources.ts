/** Tells when the sources of a project have changed: `*.kiln` files and the code of hooks. */
import { watch } from 'node:fs';
import { sep } from 'node:path';

/** Editors write a file in several steps: what happens within this time is one change. */
const SETTLED_MS = 40;

const SOURCE = /\.(kiln|[cm]?[jt]s|json)$/;
const OTHERS: ReadonlySet<string> = new Set(['.git', '.kiln', 'build', 'dist', 'node_modules']);

/** Gives a function that ends it. */
export function watchSources(folder: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name !== null && !isSource(name)) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLED_MS);
  });
  // A folder that goes away while it is watched.
  watcher.on('error', () => undefined);
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

function isSource(name: string): boolean {
  return SOURCE.test(name) && !name.split(sep).some((part) => OTHERS.has(part));
}
