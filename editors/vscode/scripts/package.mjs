/**
 * Packs the extension: `npm run editor:vscode` gives editors/vscode/build/kiln-<version>.vsix, or takes another folder as
 * its argument. A VSIX is a zip archive with two more files, so the many packages of the official packer are not needed.
 * The same sources give the same bytes.
 */
import { createWriteStream, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import archiver from 'archiver';
import { buildExtension, FOLDER } from './build.mjs';
import { contentTypes, vsixManifest } from './manifest.mjs';

/** Where each file lies in the archive, below extension/. */
const FILES = {
  'package.json': 'package.json',
  'language-configuration.json': 'language-configuration.json',
  'snippets.json': 'snippets.json',
  'README.md': 'README.md',
  'CHANGELOG.md': 'CHANGELOG.md',
  LICENSE: 'LICENSE.txt',
  'images/icon.png': 'images/icon.png',
  'images/file.svg': 'images/file.svg',
  'build/extension.cjs': 'build/extension.cjs',
  'kiln.tmLanguage.json': 'kiln.tmLanguage.json',
  'kiln-in-markdown.tmLanguage.json': 'kiln-in-markdown.tmLanguage.json',
};

const date = new Date('1980-01-01T00:00:00Z');
const extension = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'));

await buildExtension();
const file = join(resolve(process.argv[2] ?? join(FOLDER, 'build')), `kiln-${extension.version}.vsix`);
await writeArchive(file);
console.log(file);

async function writeArchive(path) {
  const archive = archiver('zip', { zlib: { level: 9 } });
  const written = finished(archive.pipe(createWriteStream(path)));
  archive.append(vsixManifest(extension), { name: 'extension.vsixmanifest', date });
  archive.append(contentTypes(), { name: '[Content_Types].xml', date });
  for (const [from, to] of Object.entries(FILES)) {
    archive.append(readFileSync(join(FOLDER, from)), { name: `extension/${to}`, date });
  }
  await Promise.all([archive.finalize(), written]);
}
