import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { type WrittenClients, writeClients } from '../../pipeline/clients/write-clients.ts';
import { addFiles, definitionIn, projectFolder } from './project-folder.ts';

const SOURCE = 'model Note { field text { type string } }\napi { entrypoint Note { list endpoint {} } }\n';

describe('generator client', () => {
  const projectWith = (generators: string) => projectFolder({ 'main.kiln': SOURCE + generators });
  const written = async (folder: string): Promise<WrittenClients> => writeClients(folder, await definitionIn(folder));
  const textOf = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

  it('writes TypeScript into its folder', async () => {
    const folder = projectWith('generator client { target ts, output "clients/web" }');
    expect(await written(folder)).to.deep.equal({ written: ['clients/web/client.ts'], refusals: [] });
    expect(readdirSync(join(folder, 'clients/web'))).to.deep.equal(['client.ts']);
    expect(textOf(folder, 'clients/web/client.ts')).to.include('readonly note: NoteResource;');
  });

  it('writes JavaScript with declarations, which runs as it is', async () => {
    const folder = projectWith('generator client { target js, output "./web/" }');
    expect((await written(folder)).written).to.deep.equal(['web/client.js', 'web/client.d.ts']);
    addFiles(folder, { 'package.json': '{ "type": "module" }' });
    const { createClient } = await import(pathToFileURL(join(folder, 'web/client.js')).href);
    expect(createClient({ baseUrl: 'http://localhost' }).note.list).to.be.a('function');
    for (const file of ['client.js', 'client.d.ts'])
      expect(textOf(folder, `web/${file}`)).to.match(
        /^\/\* eslint-disable \*\/\n\/\*\*\n \* The client of kiln-project-/,
      );
  });

  it('writes only what has changed', async () => {
    const folder = projectWith(
      'generator client { target ts, output "a" }\ngenerator client { target js, output "b" }',
    );
    await written(folder);
    const before = statSync(join(folder, 'a/client.ts')).mtimeMs;
    expect(await written(folder)).to.deep.equal({ written: [], refusals: [] });
    expect(statSync(join(folder, 'a/client.ts')).mtimeMs).to.equal(before);
    const source = textOf(folder, 'main.kiln').replace('list endpoint {}', 'list endpoint {} get endpoint {}');
    addFiles(folder, { 'main.kiln': source });
    expect((await written(folder)).written).to.have.members(['a/client.ts', 'b/client.js', 'b/client.d.ts']);
  });

  it('writes nothing where no client is asked for', async () => {
    const folder = projectWith('');
    expect(await written(folder)).to.deep.equal({ written: [], refusals: [] });
    expect(readdirSync(folder)).to.deep.equal(['main.kiln']);
  });

  it('keeps a file that somebody else has written', async () => {
    const folder = projectWith('generator client { target ts, output "web" }');
    addFiles(folder, { 'web/client.ts': 'export const mine = 1;\n' });
    const { refusals } = await written(folder);
    expect(refusals).to.have.length(1);
    expect(refusals[0]).to.match(/^`web\/client\.ts` is not a file that Kiln has written, so it is kept; move it away/);
    expect(textOf(folder, 'web/client.ts')).to.equal('export const mine = 1;\n');
  });

  it('writes nothing through links that lead out of the project', async () => {
    const outside = projectFolder({});
    writeFileSync(join(outside, 'client.ts'), '');
    const folder = projectWith(
      ['link', 'link/below', 'file', 'nowhere']
        .map((to) => `generator client { target ts, output "${to}" }`)
        .join('\n'),
    );
    symlinkSync(outside, join(folder, 'link'));
    mkdirSync(join(folder, 'file'));
    symlinkSync(join(outside, 'client.ts'), join(folder, 'file/client.ts'));
    symlinkSync(join(outside, 'missing'), join(folder, 'nowhere'));
    const result = await written(folder);
    expect(result.written).to.deep.equal([]);
    expect(result.refusals).to.have.length(4);
    expect(result.refusals).to.include('`link/below/client.ts` leads out of the project, so it is not written');
    expect(readFileSync(join(outside, 'client.ts'), 'utf8')).to.equal('');
    expect(existsSync(join(outside, 'below'))).to.equal(false);
    expect(existsSync(join(outside, 'missing'))).to.equal(false);
  });

  it('follows links that stay in the project', async () => {
    const folder = projectWith('generator client { target ts, output "link" }');
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    expect((await written(folder)).written).to.deep.equal(['link/client.ts']);
    expect(existsSync(join(folder, 'real/client.ts'))).to.equal(true);
  });

  for (const output of ['../out', '/tmp/out', 'a/../../out', 'a\\b']) {
    it(`is refused by the checker where its folder is ${output}`, async () => {
      const folder = projectWith(`generator client { target ts, output ${JSON.stringify(output)} }`);
      const refusal = await definitionIn(folder).catch(String);
      expect(refusal).to.include('path-outside-project');
    });
  }
});
