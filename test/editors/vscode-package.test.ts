import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { entriesOf } from './zip-entries.ts';

const root = join(import.meta.dirname, '../..');
const extension = join(root, 'editors/vscode');

interface Manifest {
  readonly version: string;
  readonly main: string;
  readonly icon: string;
  readonly contributes: {
    readonly languages: readonly { readonly configuration: string; readonly icon: Readonly<Record<string, string>> }[];
    readonly grammars: readonly { readonly path: string; readonly scopeName: string }[];
    readonly snippets: readonly { readonly path: string }[];
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
  };
}

describe('the package for Visual Studio Code', () => {
  let entries: ReadonlyMap<string, Buffer>;
  let manifest: Manifest;
  const folder = mkdtempSync(join(tmpdir(), 'kiln-vsix-'));

  before(() => {
    entries = entriesOf(readFileSync(packed()));
    manifest = JSON.parse(text('extension/package.json'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has every file that its manifest names', () => {
    const { languages, grammars, snippets } = manifest.contributes;
    const named = [
      manifest.main,
      manifest.icon,
      ...languages.flatMap(({ configuration, icon }) => [configuration, ...Object.values(icon)]),
      ...[...grammars, ...snippets].map(({ path }) => path),
    ];
    expect([...entries.keys()]).to.include.members(named.map((path) => join('extension', path)));
  });

  it('has every file that the description of the package names, and a type for each', () => {
    const description = text('extension.vsixmanifest');
    const assets = [...description.matchAll(/Path="([^"]+)"/g)].map(([, path]) => path);
    expect([...entries.keys()]).to.include.members(assets);
    const types = [...text('[Content_Types].xml').matchAll(/Extension="(\.[a-z]+)"/g)].map(([, ending]) => ending);
    const endings = [...entries.keys()]
      .map((name) => /\.[a-z]+$/.exec(name)?.[0])
      .filter((ending) => ending !== '.xml');
    expect(types).to.include.members(endings);
  });

  it('has the version of Kiln', () => {
    const kiln = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(manifest.version).to.equal(kiln.version);
    expect(text('extension.vsixmanifest')).to.include(`Version="${kiln.version}"`);
  });

  it('registers exactly the commands that it declares, and shows no others in menus', () => {
    const code = sourceText();
    const declared = manifest.contributes.commands.map(({ command }) => command);
    const registered = [...code.matchAll(/registerCommand\('([^']+)'/g)].map(([, command]) => command);
    expect(registered).to.have.members(declared);
    const inMenus = Object.values(manifest.contributes.menus).flatMap((items) => items.map(({ command }) => command));
    expect(declared).to.include.members(inMenus);
  });

  it('reads only settings that it declares', () => {
    const read = [...sourceText().matchAll(/getConfiguration\('kiln'\)\.get\('([^']+)'/g)].map(
      ([, key]) => `kiln.${key}`,
    );
    expect(read).to.have.members(['kiln.server.path', 'kiln.projects']);
    expect(Object.keys(manifest.contributes.configuration.properties)).to.include.members(read);
  });

  it('needs nothing but the editor and Node', () => {
    const asked = [...text('extension/build/extension.cjs').matchAll(/\brequire\("([^"]+)"\)/g)].map(
      ([, name]) => name,
    );
    const given = new Set(['vscode', ...builtinModules.flatMap((name) => [name, `node:${name}`])]);
    expect(asked).to.include('vscode');
    expect(asked.filter((name) => name !== undefined && !given.has(name))).to.deep.equal([]);
  });

  it('has the same bytes when it is made again', () => {
    const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
    const first = hash(join(folder, `kiln-${manifest.version}.vsix`));
    expect(hash(packed())).to.equal(first);
  });

  function packed(): string {
    const script = join(extension, 'scripts/package.mjs');
    return execFileSync(process.execPath, [script, folder], {
      cwd: root,
      encoding: 'utf8',
    }).trim();
  }

  function text(name: string): string {
    return entries.get(name)?.toString('utf8') ?? '';
  }

  function sourceText(): string {
    const files = ['extension', 'server'];
    return files.map((name) => readFileSync(join(extension, `source/${name}.ts`), 'utf8')).join('\n');
  }
});
