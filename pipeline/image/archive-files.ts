import { posix } from 'node:path';
import { extract } from 'tar-stream';

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
