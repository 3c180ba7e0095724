/** Whether the documents for contributors still describe the repository: every path, script and folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT, readDocument } from './support/document-parts.ts';

const DOCUMENTS = [
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'compiler/README.md',
  'runtime/README.md',
  'runtime/migrate/README.md',
  'tree-sitter-grammar/README.md',
  'bench/README.md',
];
const TOP_FOLDERS = ['compiler', 'runtime', 'console', 'files', 'language-server', 'pipeline'];

describe('the documents for contributors', () => {
  for (const document of DOCUMENTS) {
    it(`name only paths that there are: ${document}`, () => {
      expect(pathsIn(readDocument(document)).filter((path) => !isThere(document, path))).to.deep.equal([]);
    });

    it(`name only scripts that there are: ${document}`, () => {
      expect(scriptsIn(readDocument(document)).filter((name) => !SCRIPTS.includes(name))).to.deep.equal([]);
    });
  }

  it('name every script that people run', () => {
    const named = scriptsIn(readDocument('CONTRIBUTING.md'));
    expect(SCRIPTS.filter((name) => !BY_NPM.includes(name) && !named.includes(name))).to.deep.equal([]);
  });

  it('have every folder with sources on the map', () => {
    const map = readDocument('docs/architecture.md');
    const folders = TOP_FOLDERS.flatMap(foldersWithSources);
    expect(folders).to.have.length.greaterThan(50);
    expect(folders.filter((folder) => !map.includes(`| \`${folder}\` |`))).to.deep.equal([]);
  });

  it('have every folder of the repository on the map', () => {
    const map = readDocument('docs/architecture.md');
    const missing = foldersOfRepository().filter((folder) => !map.includes(`| \`${folder}\` |`));
    expect(missing.filter((folder) => !TOP_FOLDERS.includes(folder))).to.deep.equal([]);
  });

  it('have only folders that there are on the map', () => {
    const map = readDocument('docs/architecture.md');
    const folders = [...map.matchAll(/^\| `([\w/-]+)` \|/gm)].map(([, name = '']) => name);
    expect(folders).to.have.length.greaterThan(5);
    expect(folders.filter((folder) => !existsSync(join(ROOT, folder)))).to.deep.equal([]);
  });

  it('have every folder of a large one in its README', () => {
    for (const top of ['compiler', 'runtime']) {
      const text = readDocument(`${top}/README.md`);
      const names = foldersWithSources(top).map((folder) => folder.slice(top.length + 1));
      expect(names.filter((name) => name !== '' && !new RegExp(`\`${name}/?\``).test(text))).to.deep.equal([]);
    }
  });
});

describe('a path in a document', () => {
  it('is missed where nothing is there', () => {
    expect(pathsIn('`compiler/chek/` `check/no.ts` `npm run x/y` `a or b` `and/or`')).to.deep.equal([
      'compiler/chek/',
      'check/no.ts',
      'and/or',
    ]);
    expect(isThere('CONTRIBUTING.md', 'compiler/chek/')).to.equal(false);
    expect(isThere('CONTRIBUTING.md', 'compiler/check/')).to.equal(true);
  });

  it('may begin in the folder of the document, and end with what the reader chooses', () => {
    expect(isThere('compiler/README.md', 'check/calls.ts')).to.equal(true);
    expect(isThere('CONTRIBUTING.md', 'test/compiler/rules/<code>.kiln')).to.equal(true);
    expect(isThere('CONTRIBUTING.md', 'test/compiler/rulez/<code>.kiln')).to.equal(false);
  });
});

const SCRIPTS: readonly string[] = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts);
/** What npm calls by itself. */
const BY_NPM = ['dependencies', 'prepack'];

/** Code that is a path: with a slash, or the name of a file. Commands end with paths too. */
function pathsIn(text: string): readonly string[] {
  const spans = [...text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, span = '']) => span);
  const words = spans.flatMap((span) =>
    / /.test(span) ? span.split(' ').filter((word) => /\.m?[jt]s$/.test(word)) : [span],
  );
  return words.filter(
    (word) => /^\.?\w[\w.-]*(\/[\w.<>-]+)*\/?$/.test(word) && /\/|\.(m?[jt]s|md|json|kiln)$/.test(word),
  );
}

/** Of a name that the reader chooses, the folder counts. A path begins at the root, or in the folder of the document. */
function isThere(document: string, path: string): boolean {
  const [certain = ''] = path.split('<');
  const place = certain === path ? path : dirname(`${certain}x`);
  return [ROOT, join(ROOT, dirname(document))].some((folder) => existsSync(join(folder, place)));
}

function scriptsIn(text: string): readonly string[] {
  const named = [...text.matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map(([, name = '']) => name);
  return named.filter((name) => !['ci', 'link', 'install', 'pack', 'package', 'packages'].includes(name));
}

function foldersOfRepository(): readonly string[] {
  const made = ['node_modules', 'dist', 'build'];
  return readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !made.includes(entry.name))
    .map(({ name }) => name);
}

function foldersWithSources(folder: string): readonly string[] {
  const inner = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const folders = inner.filter((file) => /(?<!\.d)\.ts$/.test(file)).map((file) => dirname(join(folder, file)));
  return [...new Set(folders)].filter((folder) => folder !== 'compiler' && folder !== 'runtime').sort();
}
