/**
 * Where the bytes of files are kept: a folder or a bucket. What a client sends arrives under the id of its upload, and is
 * kept apart from it once a record has it: whoever still has the address of the upload cannot change it any more.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError } from '../errors/api-error.ts';
import { headerText } from '../values/header-text.ts';

interface UploadAddress {
  /** Absolute for a bucket, and a path of this server for a folder. */
  readonly url: string;
  /** Those that the client must send. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}

/** The first and the last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The type that the client has stated, and the exact number of bytes. */
export interface FileForm {
  readonly type: string;
  readonly size: number;
}

/** Looks at the first bytes of a file, and at how many there are. Throws if it is refused. */
type CheckFile = (head: Buffer, size: number) => void;

/** The bytes that are enough to tell what type a file has. */
export const HEAD_BYTES = 512;

export const UPLOAD_SECONDS = 15 * 60;
export const DOWNLOAD_SECONDS = 5 * 60;

/** Ids are UUIDs. */
export interface FileStore {
  /** Signs the address to which a client sends the bytes with PUT. */
  uploadAddress(id: string, form: FileForm): Promise<UploadAddress>;
  /** Does what the client would do at that address. */
  write(id: string, bytes: Buffer, form: FileForm): Promise<void>;
  /** Takes what a client sends to that address, where this is an address of the server. Throws where it is not allowed. */
  receive?(id: string, query: URLSearchParams, request: IncomingMessage): Promise<void>;
  /** Keeps what was uploaded, exactly as it was checked. False where nothing was uploaded. May be repeated. */
  keep(id: string, check: CheckFile): Promise<boolean>;
  /** The address from which a client reads a kept file, as an attachment. Null where the server has to send the bytes. */
  downloadAddress(id: string, name: string, type: string, method: 'GET' | 'HEAD'): Promise<string | null>;
  /** The bytes of a kept file. */
  read(id: string, range?: ByteRange): Promise<Readable>;
  /** Removes what was uploaded, and with `all` also what was kept. There may be nothing. May be repeated. */
  remove(ids: readonly string[], which: 'upload' | 'all'): Promise<void>;
}

/** Keeps bytes that the application has made itself, and that need no check. */
export async function storeOwn(store: FileStore, id: string, bytes: Buffer, form: FileForm): Promise<void> {
  await store.write(id, bytes, form);
  await store.keep(id, () => undefined);
  await store.remove([id], 'upload');
}

/** The cause is for the log, and has no address. */
export function storeUnavailable(cause: unknown): ApiError {
  return new ApiError('unavailable', { detail: 'The file store cannot be used now. Try again later.', cause });
}

/** The value of `content-disposition`. A name never ends the header, and never names a folder. */
export function attachment(name: string): string {
  const file = name
    .toWellFormed()
    .replace(/[\\/]/g, '_')
    .replace(/[\0-\x1f\x7f"]/g, '_');
  return headerText('content-disposition', `attachment; filename="${file}"`);
}
