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
import { brotliDecompress, gunzip, gzip } from 'node:zlib';

/** The names of what the page itself links to. */
export interface Manifest {
  readonly theme: string;
  readonly main: string;
  readonly styles: string;
  readonly licenses: string;
}

export type Encoding = 'br' | 'gzip' | 'identity';

const unzip = promisify(gunzip);
const zip = promisify(gzip);
const unzipBrotli = promisify(brotliDecompress);
const EXTENSIONS = { br: 'br', gzip: 'gz', identity: 'gz' } as const satisfies Record<Encoding, string>;

export async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(assetFolder(), 'manifest.json'), 'utf8')) as Manifest;
}

/** Reads an asset; null where there is none. */
export async function readAsset(name: string, encoding: Encoding): Promise<Buffer | null> {
  const file = join(assetFolder(), name);
  const bytes = await readFile(`${file}.${EXTENSIONS[encoding]}`).catch(nullIfMissing);
  if (bytes === null) return encoding === 'br' ? null : fromBrotli(file, encoding);
  return encoding === 'identity' ? unzip(bytes) : bytes;
}

/** The package that npm installs has no `.gz` files, because they would be a quarter of it. Images have them. */
async function fromBrotli(file: string, encoding: 'gzip' | 'identity'): Promise<Buffer | null> {
  const name = `${file}.${encoding}`;
  const known = made.get(name);
  if (known) return known;
  const bytes = await readFile(`${file}.br`).catch(nullIfMissing);
  if (bytes === null) return null;
  const plain = await unzipBrotli(bytes);
  const wanted = encoding === 'gzip' ? await zip(plain) : plain;
  made.set(name, wanted);
  return wanted;
}

/** A cache, so that requests for the page do not keep the processor busy. There are few such files. */
const made = new Map<string, Buffer>();

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
