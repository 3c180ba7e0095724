/** The files of records for the code of hooks, as `context.db.files`. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { HookFiles } from '../hooks/context.ts';
import { newFiles } from '../values/file-rules.ts';
import { fitsType } from './fits-type.ts';
import { type FileStore, HEAD_BYTES, storeOwn } from './store.ts';

export function hookFiles(open: () => Promise<FileStore>): HookFiles {
  return {
    read: async ({ id }) => (await open()).read(id),
    write: async ({ name, type, bytes }) => {
      const id = randomUUID();
      const form = { type, size: bytes.length };
      const content = Buffer.from(bytes);
      if (!fitsType(content.subarray(0, HEAD_BYTES), type))
        throw new Error(`the file \`${name}\` is not of the type ${type}`);
      await storeOwn(await open(), id, content, form);
      const stored = { id, name, ...form };
      newFiles.add(stored);
      return stored;
    },
  };
}
