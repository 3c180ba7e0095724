/**
 * The scripts and styles of the console, as the build has left them: compressed, with the hash of their
 * content in their names. They are read from the disk when a browser asks, which it does once, so a server whose page
 * nobody opens has nothing of them in memory.
 */
import type { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';

/** The names of what the page itself links to. */
export interface Manifest {
  readonly theme: string;
  readonly main: string;
  readonly styles: string;
  readonly licenses: string;
}

export type Encoding = 'br' | 'gzip' | 'identity';

const decompress = promisify(brotliDecompress);
const zip = promisify(gzip);

export async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(assetFolder(), 'manifest.json'), 'utf8')) as Manifest;
}

/** Reads an asset; null where there is none. */
export async function readAsset(name: string, encoding: Encoding): Promise<Buffer | null> {
  const bytes = await readFile(join(assetFolder(), `${name}.br`)).catch(nullIfMissing);
  if (bytes === null || encoding === 'br') return bytes;
  const key = `${name} ${encoding}`;
  const wanted = made.get(key) ?? (await decompressed(bytes, encoding));
  made.set(key, wanted);
  return wanted;
}

/** The forms for browsers without TLS, which do not read Brotli. There are few such files, so they are kept. */
const made = new Map<string, Buffer>();

async function decompressed(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  const plain = await decompress(bytes);
  return encoding === 'gzip' ? zip(plain) : plain;
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/**
 * The folders beside the bundle of an image, and below that of the command line. The last one is for running from
 * source.
 */
const PLACES = ['console', 'runtime/console', 'dist/runtime/console'];

function assetFolder(from = import.meta.dirname): string {
  const found = PLACES.map((place) => join(from, place)).find((folder) => existsSync(join(folder, 'manifest.json')));
  if (found !== undefined) return found;
  if (dirname(from) === from) throw new Error('The console has not been built. Run `npm run build`.');
  return assetFolder(dirname(from));
}
