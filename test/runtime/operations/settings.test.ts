import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';
import { projectFolder } from '../../pipeline/project-folder.ts';
import { buildOnce } from '../../support/build-once.ts';

const MAIN = resolve(import.meta.dirname, '../../../dist/runtime/main.mjs');

const SOURCE = `/// Where the shop is.
setting SHOP_URL {}
setting MOST { type integer, default 20 }
setting STOCK_KEY { secret, type integer }
model Coat { field name { type string } }
api { entrypoint Coat { list endpoint { limit 9 } } }
`;

describe('the settings of an image', () => {
  let folder: string;

  before(async () => {
    buildOnce();
    await loadGrammar();
    const definition = definitionText(definitionOf([{ path: 'main.kiln', text: SOURCE }]));
    folder = projectFolder({ 'definition.json': definition, 'openapi.json': '{}' });
  });

  function run(command: string, environment: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, DATABASE_URL: '', KILN_APP: join(folder), ...environment };
    return spawnSync(process.execPath, [MAIN, command], { env, encoding: 'utf8' });
  }

  it('are all named by `serve`, beside the variables of Kiln, and no secret is shown', () => {
    for (const WORKERS of ['1', '2']) {
      const { status, stderr } = run('serve', { WORKERS, MOST: 'many', STOCK_KEY: 'hush-hush' });
      expect(status).to.equal(1);
      expect(stderr.trim().split('\n')).to.deep.equal([
        'DATABASE_URL is not set: it must look like `postgres://user:password@host:5432/database`.',
        'MOST must be an integer, but it is `many`.',
        'SHOP_URL is not set: it is a setting of the application (string).',
        'STOCK_KEY must be an integer.',
      ]);
    }
  });

  it('are listed by `settings`, for whoever has to set them', () => {
    const { status, stdout } = run('settings');
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal([
      { name: 'MOST', doc: null, default: '20', secret: false, type: { kind: 'integer' } },
      { name: 'SHOP_URL', doc: 'Where the shop is.', default: null, secret: false, type: { kind: 'string' } },
      { name: 'STOCK_KEY', doc: null, default: null, secret: true, type: { kind: 'integer' } },
    ]);
  });
});
