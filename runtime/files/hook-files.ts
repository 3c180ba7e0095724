/** The files of records for the code of hooks, as `context.db.files`. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { HookFiles } from '../hooks/context.ts';
import { type FileStore, storeOwn } from './store.ts';

export function hookFiles(open: () => Promise<FileStore>): HookFiles {
  return {
    read: async ({ id }) => (await open()).read(id),
    write: async ({ name, type, bytes }) => {
      const id = randomUUID();
      const form = { type, size: bytes.length };
      await storeOwn(await open(), id, Buffer.from(bytes), form);
      return { id, name, ...form };
    },
  };
}
