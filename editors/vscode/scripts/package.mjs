/**
 * Packs the extension: `npm run editor:vscode` gives editors/vscode/build/kiln-<version>.vsix, or takes another folder as
 * its argument. A VSIX is a zip archive with two more files, so the many packages of the official packer are not needed.
 * The same sources give the same bytes.
 */
import { createWriteStream, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import archiver from 'archiver';
import { build } from 'esbuild';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** The place of each file in the archive, below extension/. */
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

/** The type of each file. */
const TYPES = {
  json: 'application/json',
  cjs: 'application/octet-stream',
  md: 'text/markdown',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  vsixmanifest: 'text/xml',
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
  for (const [from, to] of Object.entries(FILES))
    archive.append(readFileSync(join(FOLDER, from)), { name: `extension/${to}`, date });
  await Promise.all([archive.finalize(), written]);
}

/** Builds the files that the manifest names under build/: the extension in one file. */
async function buildExtension() {
  await build({
    absWorkingDir: FOLDER,
    entryPoints: ['source/extension.ts'],
    outfile: 'build/extension.cjs',
    bundle: true,
    // The editor gives this module to its extensions.
    external: ['vscode'],
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    // The licences of bundled packages are included.
    legalComments: 'eof',
    logLevel: 'warning',
  });
}

// The two files that make a zip archive a VSIX: the manifest of the extension, and the type of each of its files.

function contentTypes() {
  const lines = Object.entries(TYPES).map(
    ([ending, type]) => `<Default Extension=".${ending}" ContentType="${type}"/>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${lines.join('')}</Types>
`;
}

function vsixManifest(extension) {
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(extension.name)}" Version="${extension.version}" Publisher="${escaped(extension.publisher)}"/>
    <DisplayName>${escaped(extension.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(extension.description)}</Description>
    <Tags>${escaped([...extension.keywords, '__ext_kiln'].join(','))}</Tags>
    <Categories>${escaped(extension.categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
${properties(extension)}
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/${extension.icon}</Icon>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
${assets(extension)}
  </Assets>
</PackageManifest>
`;
}

function properties({ engines, extensionKind }) {
  const values = {
    'Microsoft.VisualStudio.Code.Engine': engines.vscode,
    'Microsoft.VisualStudio.Code.ExtensionKind': extensionKind.join(','),
    'Microsoft.VisualStudio.Code.ExecutesCode': 'true',
    'Microsoft.VisualStudio.Services.GitHubFlavoredMarkdown': 'true',
    'Microsoft.VisualStudio.Services.Content.Pricing': 'Free',
  };
  return Object.entries(values)
    .map(([id, value]) => `      <Property Id="${id}" Value="${escaped(value)}"/>`)
    .join('\n');
}

function assets({ icon }) {
  const paths = {
    'Microsoft.VisualStudio.Code.Manifest': 'package.json',
    'Microsoft.VisualStudio.Services.Content.Details': 'README.md',
    'Microsoft.VisualStudio.Services.Content.Changelog': 'CHANGELOG.md',
    'Microsoft.VisualStudio.Services.Content.License': 'LICENSE.txt',
    'Microsoft.VisualStudio.Services.Icons.Default': icon,
  };
  return Object.entries(paths)
    .map(([type, path]) => `    <Asset Type="${type}" Path="extension/${path}" Addressable="true"/>`)
    .join('\n');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
