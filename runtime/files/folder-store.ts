/**
 * Files in a folder of this machine. Each upload has a folder of its own, so that whatever is left of it goes with it.
 * What is there under its final name is complete and on the disk.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { STORE_FULL } from '../../compiler/definition/contract/problems.ts';
import { pathPattern, UPLOAD_PATH } from '../../compiler/definition/contract/routes.ts';
import { ApiError, HookRefusal } from '../errors/api-error.ts';
import { canonicalUuid, randomToken } from '../values/uuid.ts';
import { type FileForm, type FileStore, HEAD_BYTES, storeUnavailable, UPLOAD_SECONDS } from './store.ts';

export function folderStore(folder: string): FileStore {
  let key: Promise<Buffer> | null = null;
  const signature = async (id: string, { type, size }: FileForm, expires: string): Promise<Buffer> => {
    key ??= keyIn(folder).catch((error) => {
      // The folder may be there next time.
      key = null;
      throw error;
    });
    return createHmac('sha256', await key)
      .update(JSON.stringify([id, type, size, expires]))
      .digest();
  };
  const uploadOf = (id: string) => join(folder, 'uploads', safe(id));
  const sentOf = (id: string) => join(uploadOf(id), 'sent');
  const keptOf = (id: string) => join(folder, 'files', safe(id));
  const signedForm = async (id: string, query: URLSearchParams): Promise<FileForm> => {
    const of = (name: string) => query.get(name) ?? '';
    const form = { type: of('type'), size: Number(of('size')) };
    const given = Buffer.from(of('signature'), 'base64url');
    const expected = await signature(id, form, of('expires'));
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
    if (isSigned && Number(of('expires')) > Date.now()) return form;
    throw new ApiError('forbidden', { detail: 'The address was not signed by this application, or it is too old.' });
  };
  const stored = async (id: string, bytes: Readable, size: number): Promise<void> => {
    const part = join(uploadOf(id), randomToken());
    await mkdir(dirname(part), { recursive: true });
    try {
      const file = createWriteStream(part, { flags: 'wx', flush: true });
      // The client is still there when the disk is full, and gets an answer.
      await pipeline(bytes.iterator({ destroyOnReturn: false }), file);
      if (file.bytesWritten !== size) throw new Error(`${file.bytesWritten} bytes were written instead of ${size}`);
      await rename(part, sentOf(id));
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  };
  const store: FileStore = {
    async uploadAddress(id, form) {
      const expiresAt = new Date(Date.now() + UPLOAD_SECONDS * 1000);
      const expires = String(expiresAt.getTime());
      const query = new URLSearchParams({ type: form.type, size: String(form.size), expires });
      query.set('signature', (await signature(id, form, expires)).toString('base64url'));
      return {
        url: `${pathPattern(UPLOAD_PATH).replace(':id', id)}?${query}`,
        headers: { 'content-type': form.type },
        expiresAt,
      };
    },
    async receive(id, query, request) {
      const form = await signedForm(id, query);
      requireForm(request.headers, form);
      await stored(id, request, form.size);
    },
    write: (id, bytes, { size }) => stored(id, Readable.from([bytes]), size),
    async keep(id, check) {
      const part = join(uploadOf(id), randomToken());
      if (!(await isThere(link(sentOf(id), part)))) return false;
      try {
        await checkFile(part, check);
        await mkdir(dirname(keptOf(id)), { recursive: true });
        await rename(part, keptOf(id));
        await sync(dirname(keptOf(id)));
      } finally {
        // Where it was kept before, both names are of one file, and the second one stays.
        await rm(part, { force: true });
      }
      return true;
    },
    downloadAddress: async () => null,
    async read(id, range) {
      const stream = createReadStream(keptOf(id), range);
      await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject));
      return stream;
    },
    async remove(ids, which) {
      for (const id of ids) {
        await rm(uploadOf(id), { recursive: true, force: true });
        if (which === 'all') await rm(keptOf(id), { force: true });
      }
    },
  };
  return withRefusals(store);
}

function requireForm(headers: IncomingHttpHeaders, { type, size }: FileForm): void {
  if (headers['content-type'] !== type)
    throw new ApiError('unsupported-media-type', { detail: `The type must be ${type}.` });
  if (headers['content-length'] !== String(size))
    throw new ApiError('malformed-request', {
      detail: `The body must have exactly ${size} bytes, as content-length says.`,
    });
}

/** An id is never a path that leads out of the folder. */
function safe(id: string): string {
  const name = canonicalUuid(id);
  if (name === null) throw new Error('the id of a file is not a UUID');
  return name;
}

/** Whoever shares the folder shares the key with which addresses are signed. The first server makes it. */
async function keyIn(folder: string): Promise<Buffer> {
  const path = join(folder, 'key');
  const part = `${path}.${randomToken()}`;
  await mkdir(folder, { recursive: true });
  await writeFile(part, randomBytes(32), { mode: 0o600, flush: true });
  await link(part, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(part);
  return readFile(path);
}

async function isThere(step: Promise<void>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function checkFile(path: string, check: Parameters<FileStore['keep']>[1]): Promise<void> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    check(buffer.subarray(0, bytesRead), (await file.stat()).size);
  } finally {
    await file.close();
  }
}

/** Names are on the disk only when their folder is. */
async function sync(folder: string): Promise<void> {
  const file = await open(folder);
  await file.sync().finally(() => file.close());
}

const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Errors of the disk become answers that say nothing of its paths. */
function withRefusals(store: FileStore): FileStore {
  const refused = (error: NodeJS.ErrnoException): unknown => {
    if (error.syscall === undefined) return error;
    if (FULL.includes(error.code))
      return new HookRefusal(507, 'The file store is full.', error, { code: STORE_FULL, errors: [] });
    return storeUnavailable(error);
  };
  const steps = Object.entries(store).map(([name, step]: [string, (...args: never[]) => Promise<unknown>]) => [
    name,
    (...args: never[]) =>
      step(...args).catch((error: NodeJS.ErrnoException) => {
        throw refused(error);
      }),
  ]);
  return Object.fromEntries(steps) as FileStore;
}
