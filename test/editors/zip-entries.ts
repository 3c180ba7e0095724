/** The files of a zip archive by name, read from its directory, as an editor that installs it does. */
import { inflateRawSync } from 'node:zlib';

const DIRECTORY_END = 0x06054b50;

export function entriesOf(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.lastIndexOf(signature(DIRECTORY_END));
  const count = archive.readUInt16LE(end + 10);
  const entries = new Map<string, Buffer>();
  let place = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    const nameLength = archive.readUInt16LE(place + 28);
    entries.set(archive.toString('utf8', place + 46, place + 46 + nameLength), contentAt(archive, place));
    place += 46 + nameLength + archive.readUInt16LE(place + 30) + archive.readUInt16LE(place + 32);
  }
  return entries;
}

function contentAt(archive: Buffer, entry: number): Buffer {
  const isStored = archive.readUInt16LE(entry + 10) === 0;
  const size = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const bytes = archive.subarray(start, start + size);
  return isStored ? bytes : inflateRawSync(bytes);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
