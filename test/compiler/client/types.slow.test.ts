import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { clientFiles } from '../../../pipeline/clients/write-clients.ts';
import { EXAMPLES, everythingDefinition, exampleDefinition } from '../openapi/documents.ts';
import { clientFrom, nastyDefinition, typeProblems } from './clients.ts';

const HERE = import.meta.dirname;

describe('types of clients', () => {
  let folder: string;

  before(() => loadGrammar());

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kiln-client-'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  for (const world of ['browser', 'node'] as const) {
    it(`hold for what may be done, and against what may not, with the types of ${world}`, () => {
      const usages = ['blog', 'nasty'].map((name) => join(HERE, 'usage', `${name}.ts`));
      expect(typeProblems(usages, world)).to.equal('');
    });

    it(`are sound in TypeScript and in declarations, with the types of ${world}`, async () => {
      const files: string[] = [];
      const add = (name: string, text: string) => {
        files.push(join(folder, name));
        writeFileSync(join(folder, name), text);
      };
      for (const [name, definition] of definitions()) {
        const client = clientFrom(definition, name);
        const [code, declarations] = await clientFiles(client, 'js');
        add(`${name}.ts`, client.typescript);
        writeFileSync(join(folder, `${name}-js.js`), code?.content ?? '');
        add(`${name}-js.d.ts`, declarations?.content ?? '');
        add(`${name}-same.ts`, sameText(name));
      }
      expect(typeProblems(files, world)).to.equal('');
    });
  }

  it('need no newer library of TypeScript than es2020', () => {
    const clients = ['blog', 'bookings', 'helpdesk', 'projects', 'shop'].map((name) =>
      join(HERE, 'golden', `${name}.ts`),
    );
    expect(typeProblems(clients, 'older browser')).to.equal('');
  });

  it('are found wanting by the same judge where they are wrong', () => {
    const file = join(folder, 'wrong.ts');
    writeFileSync(
      file,
      `import type { Client } from '${join(HERE, 'golden/blog.ts')}';\nexport const c: Client = 1;\n`,
    );
    expect(typeProblems([file], 'node')).to.include('TS2322');
  });
});

function definitions() {
  const examples = EXAMPLES.map((name) => [name, exampleDefinition(name)] as const);
  return [...examples, ['nasty', nastyDefinition()], ['everything', everythingDefinition()]] as const;
}

/** The module and its declarations stand for each other. */
function sameText(name: string): string {
  return `import * as js from './${name}-js.js';
import * as ts from './${name}.ts';
export const one: typeof ts = js;
export const other: typeof js = ts;
export const client: [ts.Client, js.Client] = [js.createClient({ baseUrl: '' }), ts.createClient({ baseUrl: '' })];
`;
}
