/**
 * The application's layer: a tar archive that depends on its files alone. Entries are sorted, times are fixed, owners
 * are numbers, so that the same files give the same bytes on every machine.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';

/** The files by their paths in the image, without a leading slash. */
type LayerFiles = ReadonlyMap<string, LayerFile>;

export interface LayerFile {
  readonly bytes: Buffer;
  readonly isExecutable?: boolean;
}

export interface Layer {
  readonly tar: Buffer;
  /** The name of the layer in engines: the digest of the archive as it is. */
  readonly diffId: string;
}

export interface CompressedLayer {
  readonly bytes: Buffer;
  /** The name of the layer in registries. */
  readonly digest: string;
}

const FILE_MODE = 0o644;
const EXECUTABLE_MODE = 0o755;
const FOLDER_MODE = 0o755;
/** The first moment of 1980, which is the oldest that every archive format can hold. */
const FIXED_TIME = new Date('1980-01-01T00:00:00Z');

export async function layerFrom(files: LayerFiles): Promise<Layer> {
  const tar = await archiveOf(files);
  return { tar, diffId: digestOf(tar) };
}

export function compressed({ tar }: Layer): CompressedLayer {
  const bytes = gzipSync(tar);
  return { bytes, digest: digestOf(bytes) };
}

export function digestOf(bytes: Buffer | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function hexOf(digest: string): string {
  return digest.replace(/^sha256:/, '');
}

/** Makes an archive: folders first where they are needed, then all files in the order of their names. */
export async function archiveOf(files: LayerFiles): Promise<Buffer> {
  const archive = pack();
  const shared = { mtime: FIXED_TIME, uid: 0, gid: 0, uname: '', gname: '' };
  for (const folder of foldersOf([...files.keys()]))
    archive.entry({ ...shared, name: `${folder}/`, type: 'directory', mode: FOLDER_MODE });
  for (const name of [...files.keys()].sort()) {
    const { bytes, isExecutable } = files.get(name) as LayerFile;
    archive.entry({ ...shared, name, mode: isExecutable ? EXECUTABLE_MODE : FILE_MODE }, bytes);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A file that holds a text. */
export function textFile(text: string): LayerFile {
  return { bytes: Buffer.from(text) };
}

function foldersOf(names: readonly string[]): readonly string[] {
  const folders = names.flatMap((name) => {
    const parts = name.split('/').slice(0, -1);
    return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  });
  return [...new Set(folders)].sort();
}

// ── Archive files ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The files of a tar archive, by name: those that are wanted. Links inside it lead to what they name. */
export async function filesIn(
  archive: NodeJS.ReadableStream,
  isWanted: (name: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const links = new Map<string, string>();
  const reader = extract();
  archive.on('error', (error: Error) => reader.destroy(error));
  archive.pipe(reader as unknown as NodeJS.WritableStream);
  for await (const entry of reader) {
    const { name, type, linkname } = entry.header;
    if (!isWanted(name)) {
      entry.resume();
      continue;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    if (type === 'file') files.set(name, Buffer.concat(chunks));
    // Layers that two images share are links to each other.
    if (linkname) links.set(name, posix.join(type === 'symlink' ? posix.dirname(name) : '.', linkname));
  }
  for (const [name, target] of links) {
    const found = files.get(target);
    if (found) files.set(name, found);
  }
  return files;
}

/** An upper layer hides what is below it. */
export async function filesInLayers(
  layers: readonly Layer[],
  isWanted?: (name: string) => boolean,
): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const { tar } of layers)
    for (const [name, bytes] of await filesIn(Readable.from([tar]), isWanted)) files.set(name, bytes);
  return files;
}
