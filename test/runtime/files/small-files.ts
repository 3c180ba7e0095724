/** Writes a file in a process whose files may have 1 MB at most, as on a disk that is full, and tells what happened. */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { folderStore } from '../../../runtime/files/folder-store.ts';

const folder = process.argv[2] ?? '';
const id = randomUUID();
const size = 8 * 1024 * 1024;
const error: unknown = await folderStore(folder)
  .write(id, Buffer.alloc(size), { type: 'image/png', size })
  .catch((thrown: unknown) => thrown);
const { status, code, message } = error as Record<string, unknown>;
const left = await readdir(join(folder, 'uploads', id)).catch(() => []);
process.stdout.write(JSON.stringify({ full: { status, code, message }, left }));
