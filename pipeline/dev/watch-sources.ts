/**
 * Tells when the sources of a project have changed: `*.kiln` files, the code of hooks, templates of mails and `.env`.
 * Folders are watched, not files: an editor that saves by putting a new file in place of the old one would be lost after
 * its first save.
 */
import { type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isMadeByKiln } from '../../compiler/emit/client/client-from-definition.ts';
import { DOTENV } from '../../files/dotenv.ts';
import { isSkippedFolder } from '../../files/source-rules.ts';

/** Editors write a file in several steps: what happens within this time is one change. */
const SETTLED_MS = 40;

const SOURCE = /\.(kiln|[cm]?[jt]s|json)$|(^|[\\/])mails[\\/].*\.(html|txt)$/;

/** Watches the sources, and returns a function that ends it. */
export function watchSources(folder: string, onChange: () => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      watchNewFolders();
      onChange();
    }, SETTLED_MS);
  };
  const watchNewFolders = (): void => {
    for (const path of foldersIn(folder)) if (!watchers.has(path)) watchers.set(path, watcherOf(path));
  };
  const watcherOf = (path: string): FSWatcher => {
    const watcher = watch(path, (_, name) => {
      const isSettings = path === folder && name === DOTENV;
      if (name === null || isSettings || (!isSkippedFolder(name) && isOfSources(join(path, name)))) settle();
    });
    // A folder that goes away while it is watched.
    watcher.on('error', () => watchers.delete(path));
    return watcher;
  };
  const isOfSources = (path: string): boolean => {
    if (!isFolder(path)) return watchers.has(path) || isSource(path);
    // The watchers report later changes in the folder; the files that it has already are checked here.
    watchNewFolders();
    return foldersIn(path).some(hasSource);
  };
  watchNewFolders();
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

/**
 * Whether the file is a source. A log that is written into the project must not cause a restart, which would never end;
 * nor must a client of Kiln's own.
 */
function isSource(path: string): boolean {
  return SOURCE.test(path) && !isOwnClient(path);
}

function hasSource(folder: string): boolean {
  return readdirSync(folder).some((name) => !isSkippedFolder(name) && isSource(join(folder, name)));
}

const CLIENT = /\bclient\.(js|d\.ts|ts)$/;

function isOwnClient(path: string): boolean {
  try {
    return CLIENT.test(path) && isMadeByKiln(readFileSync(path, 'utf8'));
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [
      folder,
      ...inner.filter(({ name }) => !isSkippedFolder(name)).flatMap(({ name }) => foldersIn(join(folder, name))),
    ];
  } catch {
    return [];
  }
}
