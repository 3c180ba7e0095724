/** How `npm test` groups the files of tests, and what it knows of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { ROOT } from './support/document-parts.ts';

interface Known {
  readonly files: readonly {
    readonly path: string;
    readonly needs: readonly string[];
    readonly inTest: boolean;
    readonly inSlow: boolean;
  }[];
  readonly groups: readonly (readonly string[])[];
  /** Paths of those that `npm run test:fast` runs. */
  readonly fast: readonly string[];
  /** Paths that are written out. */
  readonly named: readonly string[];
}

function known(): Known {
  return evaluated(`
    import { groupsOf, isFast, SECONDS, STARTERS, TEST, testFiles } from '${script('test-files')}';
    const files = testFiles();
    const named = [...Object.keys(SECONDS), ...Object.keys(STARTERS)];
    const fast = files.filter(isFast).map(({ path }) => path);
    process.stdout.write(JSON.stringify({ files, groups: groupsOf(files, TEST), fast, named }));`);
}

function script(name: string): string {
  return pathToFileURL(join(ROOT, `scripts/${name}.mjs`)).href;
}

/** What the code of a module prints as JSON. */
function evaluated<Result>(code: string): Result {
  const options = { encoding: 'utf8', maxBuffer: 10_000_000 } as const;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', code], options)) as Result;
}

describe('the groups of tests', () => {
  const { files, groups, fast, named } = known();

  it('have every file once', () => {
    const all = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `test/${file}`);
    expect(all).to.have.length.greaterThan(200);
    expect(groups.flat().sort()).to.deep.equal(all.sort());
  });

  it('are made by paths that there are', () => {
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).to.deep.equal([]);
  });

  it('are of files that need the same', () => {
    const needs = new Map(files.map((file) => [file.path, file.needs.join()]));
    for (const group of groups)
      expect(new Set(group.map((path) => needs.get(path))), group[0]).to.have.property('size', 1);
  });

  it('are of tests that need nothing, where they are to be fast', () => {
    expect(fast).to.have.length.greaterThan(100);
    expect(fast).to.include.members(['test/compiler/rules.test.ts', 'test/compiler/language.test.ts']);
    const others = files.filter(({ inTest, needs }) => !inTest || needs.length > 0).map(({ path }) => path);
    expect(others.filter((path) => fast.includes(path))).to.deep.equal([]);
  });

  it('are each run by `npm test` or `npm run test:slow`, and those with more in the second by both', () => {
    expect(files.filter(({ inTest, inSlow }) => !inTest && !inSlow)).to.deep.equal([]);
    const both = files.filter(({ inTest, inSlow }) => inTest && inSlow).map(({ path }) => path);
    expect(both).to.include.members(['test/compiler/change/chains.test.ts', 'test/pipeline/push/push.test.ts']);
    expect(both).to.have.length.below(40);
    // Of these the second runs what is made with the functions of `slow.ts` alone.
    const isMarked = (path: string) => linesOf(path).some((line) => /\b(it|describe)(InBoth|Slowly)\(/.test(line));
    expect(both.filter((path) => !isMarked(path))).to.deep.equal([]);
    const alone = files.filter(({ inTest }) => !inTest).map(({ path }) => path);
    expect(alone.filter((path) => linesOf(path).some((line) => line.includes('/support/slow.ts')))).to.deep.equal([]);
    const isBoth = new Set(both);
    expect(groups.filter((group) => new Set(group.map((path) => isBoth.has(path))).size > 1)).to.deep.equal([]);
  });

  for (const [path, ...needs] of [
    ['test/compiler/rules.test.ts'],
    ['test/compiler/change/chains.test.ts', 'postgres'],
    ['test/pipeline/database-of-project.slow.test.ts', 'postgres'],
    ['test/pipeline/smoke/smoke.test.ts', 'images'],
    ['test/console/browser.test.ts', 'postgres', 'browser'],
  ]) {
    it(`know that ${path} needs ${needs.join(' and ') || 'nothing'}`, () => {
      expect(files.find((file) => file.path === path)?.needs).to.have.members(needs);
    });
  }
});

describe('a bundle of tests', () => {
  const BUNDLED = `
    import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
    import { bundledAs, bundleTests, sourceOf } from '${script('test-bundle')}';
    const files = ['./test/support/document-parts.ts', './test/support/until.ts'];
    mkdirSync('${ROOT}/build', { recursive: true });
    const folder = mkdtempSync('${ROOT}/build/tests-');
    process.setSourceMapsEnabled(true);
    try {
      await bundleTests(files, folder);
      const [{ ROOT: root }, { until }] = await Promise.all(files.map((file) => import(bundledAs(file, folder))));
      const { stack } = await until(() => false, { limit: 0 }).catch((error) => error);
      const sources = files.map((file) => sourceOf(bundledAs(file, folder), folder));
      process.stdout.write(JSON.stringify({ root, told: stack, sources }));
    } finally {
      rmSync(folder, { recursive: true });
    }`;

  it('tells where the sources are, to the tests themselves and in the stack of an error', () => {
    const { root, told, sources } = evaluated<{ root: string; told: string; sources: readonly string[] }>(BUNDLED);
    expect(root).to.equal(ROOT);
    expect(sources).to.deep.equal(['test/support/document-parts.ts', 'test/support/until.ts']);
    const line = linesOf('test/support/until.ts').findIndex((text) => text.includes('throw new WaitedInVain')) + 1;
    expect(told).to.match(new RegExp(`at (async )?until \\(${ROOT}/test/support/until\\.ts:${line}:\\d+\\)`));
  });

  it('is removed a day later where its run was killed', () => {
    const place = mkdtempSync(join(tmpdir(), 'kiln-test-bundles-'));
    try {
      const hoursAgo = { 'tests-now': 0, 'tests-today': 23, 'tests-yesterday': 25, other: 25 };
      for (const [name, hours] of Object.entries(hoursAgo)) {
        mkdirSync(join(place, name));
        const time = Date.now() / 1000 - hours * 3600;
        utimesSync(join(place, name), time, time);
      }
      evaluated(`
        import { removeOldBundles } from '${script('test-bundle')}';
        removeOldBundles(${JSON.stringify(place)});
        process.stdout.write('null');`);
      expect(readdirSync(place).sort()).to.deep.equal(['other', 'tests-now', 'tests-today']);
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});

function linesOf(file: string): readonly string[] {
  return readFileSync(join(ROOT, file), 'utf8').split('\n');
}
