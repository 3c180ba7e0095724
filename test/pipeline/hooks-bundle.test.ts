import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { BUNDLE_FILE, bundleHooks } from '../../pipeline/hooks/bundle-hooks.ts';
import { loadHooks } from '../../pipeline/hooks/load-hooks.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { addFiles, definitionIn, projectFolder } from './project-folder.ts';

const MODEL = `
model Product {
  field price { type decimal }
  hook price_label { arg price price, source priceLabel from "pricing" }
}
validator cheap {
  arg value { type decimal }
  assert { hook { arg value value, source isCheap from "checks.js" } }
  error { code "too-dear" }
}
api {
  entrypoint Product as product {
    response { price_label }
    get endpoint {}
    POST one "quote" {
      action { execute as quote { hook { arg price product.price, source priceLabel from "pricing" } } respond { body quote } }
    }
  }
}
`;
const PRICING = `import { euro } from './money.ts';

interface Args { readonly price: string }

export function priceLabel({ price }: Args): string {
  if (price === '') {
    throw new Error('no price');
  }
  return euro(price);
}
`;
const FILES = {
  'shop.kiln': MODEL,
  'hooks/pricing.ts': PRICING,
  'hooks/money.ts': 'export const euro = (amount: string): string => amount + " EUR";\n',
  'hooks/checks.js': 'export const isCheap = ({ value }) => Number(value) < 10;\n',
};

describe('hooks of a project', () => {
  async function bundleIn(folder: string) {
    return bundleHooks(folder, await definitionIn(folder));
  }

  async function textIn(folder: string): Promise<string> {
    const bundle = await bundleIn(folder);
    if (!bundle || 'problems' in bundle) throw new Error(`no bundle: ${JSON.stringify(bundle)}`);
    return bundle.text;
  }

  async function modulesIn(folder: string): Promise<HookModules> {
    const modules = await loadHooks(folder, await textIn(folder));
    if (typeof modules === 'string') throw new Error(modules);
    return modules;
  }

  async function problemsIn(folder: string) {
    const bundle = await bundleIn(folder);
    return bundle && 'problems' in bundle ? bundle.problems : [];
  }

  it('are one module with a function for each file and export', async () => {
    const modules = await modulesIn(projectFolder(FILES));
    expect(Object.keys(modules)).to.deep.equal(['hooks/checks.js#isCheap', 'hooks/pricing.ts#priceLabel']);
    expect(modules['hooks/pricing.ts#priceLabel']?.({ price: '4.50' }, null)).to.equal('4.50 EUR');
    expect(modules['hooks/checks.js#isCheap']?.({ value: '12' }, null)).to.equal(false);
  });

  it('are nothing where no hook has a source', async () => {
    const inline = 'model A { field n { type integer } hook twice { arg n n, inline "n * 2" } }';
    expect(await bundleIn(projectFolder({ 'a.kiln': inline }))).to.equal(undefined);
  });

  it('are the same text wherever the project lies', async () => {
    expect(await textIn(projectFolder(FILES))).to.equal(await textIn(projectFolder(FILES)));
  });

  it('name their own files and lines when they throw', async () => {
    const folder = projectFolder(FILES);
    await modulesIn(folder);
    const script = `
      process.setSourceMapsEnabled(true);
      const { default: modules } = await import(${JSON.stringify(join(folder, '.kiln', BUNDLE_FILE))});
      try { modules['hooks/pricing.ts#priceLabel']({ price: '' }); } catch (error) { console.log(error.stack); }`;
    const { stdout } = spawnSync('node', ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout).to.include(`${join(folder, 'hooks/pricing.ts')}:7:11`);
  });

  it('bring along the packages that they import, in whichever form these are written', async () => {
    const folder = projectFolder({
      ...FILES,
      'node_modules/rates/package.json': '{ "name": "rates", "main": "main.js" }',
      'node_modules/rates/main.js': `
        const { basename } = require('path');
        const late = 'node:os';
        module.exports = { rate: 2, file: basename(__filename), folder: basename(__dirname), os: require(late).EOL };`,
      'hooks/pricing.ts': `
        import { createRequire } from 'node:module';
        import { dirname } from 'node:path';
        import { file, folder, os, rate } from 'rates';
        const require = createRequire(import.meta.url);
        const __dirname = dirname('/own/place');
        export const priceLabel = () => [rate, file, folder, os, typeof require('node:fs').readFileSync, __dirname];`,
    });
    const modules = await modulesIn(folder);
    const label = modules['hooks/pricing.ts#priceLabel']?.({}, null);
    expect(label).to.deep.equal([2, 'hooks.mjs', 'hooks', '\n', 'function', '/own']);
  });

  it('are refused with the place of a package that is not installed', async () => {
    const text =
      "import { x } from './money.ts';\nimport pay from '@pay/client/v2';\nexport const priceLabel = [x, pay];\n";
    const folder = projectFolder({ ...FILES, 'hooks/money.ts': 'export const x = 1;\n', 'hooks/pricing.ts': text });
    expect(await problemsIn(folder)).to.deep.equal([
      {
        code: 'hook-import-missing',
        message: '`hooks/pricing.ts` imports `@pay/client/v2`, which is not installed',
        place: {
          file: 'hooks/pricing.ts',
          line: 2,
          start: 16,
          end: 32,
          lineText: "import pay from '@pay/client/v2';",
        },
        label: 'not found',
        help: "run `npm install @pay/client` in the project's folder",
      },
    ]);
  });

  it('are refused with all their problems at once', async () => {
    const folder = projectFolder({
      ...FILES,
      'hooks/money.ts': 'export const euro = (;\n',
      'hooks/checks.js': "import './gone.js';\nexport const isCheap = () => true;\n",
    });
    expect((await problemsIn(folder)).map(({ code, message }) => `${code}: ${message}`)).to.have.members([
      'hook-import-missing: `hooks/checks.js` imports `./gone.js`, but there is no such file',
      'bad-hook-code: `hooks/money.ts` cannot be bundled: Unexpected ";"',
    ]);
  });

  it('are refused where a file does not export what another one imports', async () => {
    const text = "import { dollar } from './money.ts';\nexport const priceLabel = () => dollar;\n";
    const [problem] = await problemsIn(projectFolder({ ...FILES, 'hooks/pricing.ts': text }));
    expect(problem).to.deep.include({ code: 'hook-export-missing', message: '`hooks/money.ts` exports no `dollar`' });
    expect(problem?.place).to.deep.include({ file: 'hooks/pricing.ts', line: 1, start: 9, end: 15 });
  });

  it('point into lines that are not English', async () => {
    const text = "/* ä€😀 */ import pay from 'pay';\nexport const priceLabel = pay;\n";
    const [problem] = await problemsIn(projectFolder({ ...FILES, 'hooks/pricing.ts': text }));
    expect(problem?.place?.lineText.slice(problem.place.start, problem.place.end)).to.equal("'pay'");
  });

  it('are loaded anew after a change', async () => {
    const folder = projectFolder(FILES);
    await modulesIn(folder);
    addFiles(folder, { 'hooks/money.ts': 'export const euro = (amount: string): string => "€" + amount;\n' });
    const modules = await modulesIn(folder);
    expect(modules['hooks/pricing.ts#priceLabel']?.({ price: '1' }, null)).to.equal('€1');
  });

  it('are refused where loading them fails, or where they are no functions', async () => {
    const folder = projectFolder({ ...FILES, 'hooks/checks.js': 'export const isCheap = 7;\n' });
    expect(await loadHooks(folder, await textIn(folder))).to.equal(
      '`isCheap` of `hooks/checks.js` is not a function, so it cannot be a hook',
    );
    addFiles(folder, { 'hooks/checks.js': "throw new TypeError('no key');\nexport const isCheap = () => true;\n" });
    expect(await loadHooks(folder, await textIn(folder)))
      .to.match(/^the hooks cannot be loaded: TypeError: no key \(/)
      .and.include('hooks/checks.js:1:7');
  });

  it('leave nothing in the project that git would see', async () => {
    const folder = projectFolder(FILES);
    await modulesIn(folder);
    expect(existsSync(join(folder, '.kiln/.gitignore'))).to.equal(true);
    spawnSync('git', ['init', '--quiet', folder]);
    const { stdout } = spawnSync('git', ['status', '--short', '-uall'], { cwd: folder, encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line.includes('.kiln/'))).to.deep.equal([]);
  });
});
