/**
 * The runtime as the archive that the Dockerfile unpacks. `COPY` would take the times of the files and make folders that
 * are as old as the build, so two builds of the same files would give two images. Here the times are fixed, and all
 * folders are in the archive, that of applications too.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pack } from 'tar-stream';

/** As in the layers of applications: the oldest moment that every archive format can hold. */
const SHARED = { mtime: new Date('1980-01-01T00:00:00Z'), uid: 0, gid: 0, uname: '', gname: '' };

export async function writeRuntimeArchive(folder, file) {
  const archive = pack();
  archive.entry({ ...SHARED, name: 'app/', type: 'directory', mode: 0o755 });
  archive.entry({ ...SHARED, name: 'kiln/', type: 'directory', mode: 0o755 });
  for (const path of pathsIn(folder)) addTo(archive, folder, path);
  archive.finalize();
  const chunks = [];
  for await (const chunk of archive) chunks.push(chunk);
  writeFileSync(file, Buffer.concat(chunks));
}

/** A folder is before what is in it. */
function pathsIn(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.map((path) => path.replaceAll(sep, '/')).sort((one, other) => (one < other ? -1 : 1));
}

function addTo(archive, folder, path) {
  const place = join(folder, path);
  const name = `kiln/${path}`;
  if (statSync(place).isDirectory()) archive.entry({ ...SHARED, name: `${name}/`, type: 'directory', mode: 0o755 });
  else archive.entry({ ...SHARED, name, mode: 0o644 }, readFileSync(place));
}
