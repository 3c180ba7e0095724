import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { BUNDLE_FILE, bundleHooks, loadHooks } from '../../pipeline/hooks/bundle-hooks.ts';
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

describe('hooks of a revision', () => {
  const UP = '../'.repeat(20);
  const secrets = projectFolder({
    'secret.js': "export const token = 't0k3n';\n",
    'secret.json': '{ "auths": { "registry": "t0k3n" } }\n',
    'secret.js.map': '{ "version": 3, "sources": ["t0k3n.ts"], "names": ["t0k3n"], "mappings": "AAAAA,AAAAA,AAAAA" }\n',
    'node_modules/planted/index.js': "export default 't0k3n';\n",
  });
  const outside = secrets.slice(1);
  spawnSync('mkfifo', [join(secrets, 'pipe'), join(secrets, 'pipe.js')]);

  async function bundleOf(files: Readonly<Record<string, string>>, limits?: { seconds: number; megabytes: number }) {
    const all: Readonly<Record<string, string>> = { ...FILES, ...files };
    const definition = await definitionIn(projectFolder(FILES));
    const bytes = Object.entries(all).map(([path, text]) => [path, Buffer.from(text)] as const);
    return bundleHooks(new Map(bytes), definition, limits);
  }

  const ATTACKS = {
    'the environment, by a pattern': `import(\`${UP}proc/self/envir\${n}\`, { with: { type: 'text' } })`,
    'the environment, by a sum': `import('${UP}proc/self/envir' + n, { with: { type: 'bytes' } })`,
    'credentials, by a pattern': `import(\`${UP}${outside}/\${n}.json\`)`,
    'credentials, by `require` with a pattern': `require(\`${UP}${outside}/\${n}.json\`)`,
    'every file of a folder': `import(\`${UP}${outside}/\${n}\`)`,
    'a file by its path': `import('${secrets}/secret.js')`,
    'a file as text': `import('${UP}${outside}/secret.json', { with: { type: 'text' } })`,
    'a pipe': `import('${secrets}/pipe.js')`,
    'a pipe, by a pattern': `import(\`${UP}${outside}/pi\${n}\`, { with: { type: 'text' } })`,
    'a device without an end': `import('/dev/zero', { with: { type: 'text' } })`,
    'a device without an end, by a pattern': `import(\`${UP}dev/zer\${n}\`, { with: { type: 'text' } })`,
  };
  for (const [what, code] of Object.entries(ATTACKS))
    it(`cannot contain ${what}`, async () => {
      const bundle = await bundleOf({ 'hooks/checks.js': `const n = 'on';\nexport const isCheap = () => ${code};\n` });
      if (!bundle || 'text' in bundle) throw new Error(`there is a bundle: ${bundle?.text}`);
      expect(bundle.problems.map(({ code }) => code)).to.deep.equal(['hook-import-missing']);
      expect(bundle.problems[0]?.place).to.deep.include({ file: 'hooks/checks.js', line: 2 });
      expect(JSON.stringify(bundle)).not.to.include('t0k3n');
    });

  it('may import files of its own by a pattern', async () => {
    const code = `export const isCheap = ({ value }) => import(\`../rates/\${value}.js\`);\n`;
    const bundle = await bundleOf({ 'hooks/checks.js': code, 'rates/low.js': 'export default 7;\n' });
    expect(bundle).to.have.property('text').that.includes('rates/low.js');
  });

  it('brings no source map of others, and reads none', async () => {
    const plain = {
      'hooks/checks.js': 'export const isCheap = () => true;\n',
      'hooks/money.ts': FILES['hooks/money.ts'],
    };
    const expected = await bundleOf(plain);
    const maps = [`${secrets}/secret.js.map`, `file://${secrets}/pipe`, `${secrets}/pipe`, '/dev/zero', './own.map'];
    for (const map of maps) {
      const files = {
        'hooks/checks.js': `${plain['hooks/checks.js']}//# sourceMappingURL=${map}`,
        'hooks/money.ts': `${plain['hooks/money.ts']}/*@ sourceMappingURL=${map} */`,
        'hooks/own.map': '{ "version": 3, "sources": ["t0k3n.ts"], "names": [], "mappings": "AAAA" }',
      };
      expect(await bundleOf(files), map).to.deep.equal(expected);
    }
  });

  it('reads no settings of TypeScript, which may extend any file', async () => {
    const settings = JSON.stringify({ extends: `${secrets}/pipe`, compilerOptions: { paths: { '*': ['/*'] } } });
    const bundle = await bundleOf({ 'tsconfig.json': settings, 'hooks/tsconfig.json': settings });
    expect(bundle).to.have.property('text');
  });

  it('ends at its limits of time and memory, and leaves nothing', async () => {
    const place = join(secrets, 'temporary');
    mkdirSync(place, { recursive: true });
    const before = process.env.TMPDIR;
    process.env.TMPDIR = place;
    try {
      expect(tmpdir()).to.equal(place);
      const late = await bundleOf({}, { seconds: 0, megabytes: 1024 });
      const text = `export const isCheap = [${'[],'.repeat(5_000_000)}];\n`;
      const large = await bundleOf({ 'hooks/checks.js': text }, { seconds: 60, megabytes: 250 });
      const said = [late, large].map((bundle) => bundle && 'problems' in bundle && bundle.problems[0]?.message);
      expect(said[0]).to.equal('the hooks cannot be bundled: it takes longer than 0 s');
      expect(said[1]).to.include('it may use 250 MB of memory');
      expect(readdirSync(place).filter((name) => name.startsWith('kiln-hooks-'))).to.deep.equal([]);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});
