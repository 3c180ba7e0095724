import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import { definitionText } from '../../compiler/definition/artifacts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { loadDefinition, loadRelease } from '../../runtime/load/application-folder.ts';

const PROGRAM = `
/// Notes, with ","was":" and ünïcödé.
model Note { field text { type string } }
model Tag { field name { type string, unique }, drop old }
api {
  entrypoint Note as note {
    list endpoint {}
    /// It says ,"authReads":[] and "
    get endpoint {}
  }
  entrypoint Tag as tag { identify { through name }, get endpoint {} }
}`;

describe('the definition of an image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-definition-'));
  const file = join(folder, 'definition.json');
  after(() => rmSync(folder, { recursive: true }));

  it('is what was written, and is refused where it is not JSON or not there', async () => {
    await loadGrammar();
    const definition = compile([{ path: 'main.kiln', text: PROGRAM }]).definition as Definition;
    for (const text of [definitionText(definition), JSON.stringify(definition)]) {
      writeFileSync(file, text);
      expect(loadDefinition(folder)).to.deep.equal(plain(definition));
    }
    writeFileSync(file, definitionText(definition).slice(0, -2));
    expect(() => loadDefinition(folder)).to.throw('definition.json is not JSON.');
    rmSync(file);
    expect(() => loadDefinition(folder)).to.throw('definition.json cannot be read.');
  });
});

describe('the release of an image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-release-'));
  after(() => rmSync(folder, { recursive: true }));

  const releases = [
    { revision: 'one', fingerprint: 'first', steps: [] },
    { revision: 'two', fingerprint: 'second', steps: [{ of: [], schema: {} }] },
  ];
  const [first] = releases;
  for (const [where, chain] of [
    ['before the schema', { version: 1, releases: [first], schema: { enums: [] }, schemaSql: '' }],
    ['with a schema inside', { version: 1, releases, schema: { enums: [] }, schemaSql: '' }],
    ['behind the schema', { version: 1, schema: { enums: [] }, releases }],
  ] as const) {
    it(`is the last one of its chain, ${where}`, () => {
      writeFileSync(join(folder, 'releases.json'), JSON.stringify(chain));
      const { revision, fingerprint } = chain.releases.at(-1) ?? {};
      expect(loadRelease(folder)).to.deep.equal({ position: chain.releases.length, revision, fingerprint });
    });
  }

  it('is refused where its file is not JSON', () => {
    writeFileSync(join(folder, 'releases.json'), '{"version":1,"releases":[{]');
    expect(() => loadRelease(folder)).to.throw('releases.json is not JSON.');
  });
});

/** Without what JSON has no word for. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
