/** How `npm test` groups the files of tests, and what it knows of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { ROOT } from './support/document-parts.ts';

interface Known {
  readonly files: readonly { readonly path: string; readonly needs: readonly string[] }[];
  readonly groups: readonly (readonly string[])[];
  /** Paths that are written out. */
  readonly named: readonly string[];
}

function known(): Known {
  const module = pathToFileURL(join(ROOT, 'scripts/test-files.mjs')).href;
  const code = `
    import { groupsOf, SECONDS, STARTERS, testFiles } from '${module}';
    const files = testFiles();
    const named = [...Object.keys(SECONDS), ...Object.keys(STARTERS)];
    process.stdout.write(JSON.stringify({ files, groups: groupsOf(files), named }));`;
  const options = { encoding: 'utf8', maxBuffer: 10_000_000 } as const;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', code], options)) as Known;
}

describe('the groups of tests', () => {
  const { files, groups, named } = known();

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

  for (const [path, ...needs] of [
    ['test/compiler/rules.test.ts'],
    ['test/compiler/change/chains.test.ts', 'postgres'],
    ['test/pipeline/database-of-project.test.ts', 'postgres'],
    ['test/pipeline/smoke/smoke.test.ts', 'images'],
    ['test/console/browser.test.ts', 'postgres', 'browser'],
  ]) {
    it(`know that ${path} needs ${needs.join(' and ') || 'nothing'}`, () => {
      expect(files.find((file) => file.path === path)?.needs).to.have.members(needs);
    });
  }
});
