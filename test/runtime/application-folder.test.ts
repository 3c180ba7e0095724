import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { definitionText } from '../../compiler/definition/definition-text.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { loadDefinition, loadRelease } from '../../runtime/load/application-folder.ts';
import { lazyDefinition } from '../../runtime/load/lazy-definition.ts';

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

describe('a definition that is read when it is used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-lazy-'));
  const file = join(folder, 'definition.json');
  let definition: Definition;

  before(async () => {
    await loadGrammar();
    definition = compile([{ path: 'main.kiln', text: PROGRAM }]).definition as Definition;
  });
  after(() => rmSync(folder, { recursive: true }));

  function read(text: string): Definition | null {
    writeFileSync(file, text);
    return lazyDefinition(file);
  }

  it('is what was written', () => {
    const lazy = read(definitionText(definition)) as Definition;
    expect(plain(lazy)).to.deep.equal(plain(definition));
    expect({ ...lazy.models[0] }).to.deep.equal(plain(definition.models[0]));
    expect(Object.keys(lazy.endpoints[1] ?? {})).to.deep.equal(Object.keys(definition.endpoints[1] ?? {}));
    expect('atResource' in (lazy.endpoints[0] ?? {})).to.equal(false);
    expect(lazy.endpoints[0]?.atResource).to.equal(undefined);
  });

  it('may have lines that are longer than what is read at a time', () => {
    const models = definition.models.map((model) => ({ ...model, doc: 'é'.repeat(2 << 20) }));
    const lazy = read(definitionText({ ...definition, models })) as Definition;
    expect(lazy.models.map(({ doc }) => doc?.length)).to.deep.equal([2 << 20, 2 << 20]);
    expect(lazy.endpoints.map(({ id }) => id)).to.deep.equal(definition.endpoints.map(({ id }) => id));
  });

  it('has names and paths without reading the rest', () => {
    const text = definitionText(definition);
    const { models, endpoints } = read(text) as Definition;
    // The same file, in which nothing can be read any more.
    writeFileSync(file, ' '.repeat(Buffer.byteLength(text)), { flag: 'r+' });
    expect(models.map(({ name, table }) => [name, table])).to.deep.equal([
      ['Note', 'note'],
      ['Tag', 'tag'],
    ]);
    const routes = (of: Definition['endpoints']) =>
      of.map(({ id, kind, method, path, cardinality, model }) => [id, kind, method, path, cardinality, model]);
    expect(routes(endpoints)).to.deep.equal(routes(definition.endpoints));
    expect(() => models[0]?.fields).to.throw(SyntaxError);
    expect(() => endpoints[0]?.response).to.throw(SyntaxError);
  });

  it('says so where its file has become shorter, and quotes nothing', () => {
    const text = definitionText(definition);
    const { models, endpoints } = read(text) as Definition;
    truncateSync(file, text.indexOf(',"was":'));
    const sentence = `${file} has become shorter since the server has started. Write it again and restart the server.`;
    for (const use of [() => models[0]?.fields, () => endpoints[0]?.response])
      expect(use).to.throw(Error).that.includes({ name: 'Error', message: sentence });
  });

  it('cannot be changed', () => {
    const [model] = (read(definitionText(definition)) as Definition).models;
    expect(() => Object.assign(model as object, { name: 'Other' })).to.throw(TypeError);
    expect(() => Object.defineProperty(model, 'own', { value: 1, configurable: true })).to.throw(TypeError);
    expect(Reflect.deleteProperty(model as object, 'fields')).to.equal(false);
    expect(Reflect.preventExtensions(model as object)).to.equal(false);
    expect({ ...model }).to.deep.equal(plain(definition.models[0]));
  });

  it('is none where its text is in another form', () => {
    const text = definitionText(definition);
    const lines = text.split('\n');
    for (const other of [
      JSON.stringify(definition),
      JSON.stringify(definition, null, 2),
      text.slice(0, -2),
      text.slice(0, text.length / 2),
      `${lines.slice(0, -3).join('\n')}\n`,
      `${text}{}\n`,
      `[\n${text}`,
      '',
    ])
      expect(read(other), other.slice(-40)).to.equal(null);
  });

  it('is read as a whole in another form, and refused where it is not JSON', () => {
    writeFileSync(file, JSON.stringify(definition));
    expect(loadDefinition(folder)).to.deep.equal(plain(definition));
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
