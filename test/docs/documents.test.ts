import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Holds links by the hundred, and has a test of its own. */
const COVERAGE = 'docs/language-coverage.md';
const GUIDE = ['README.md', ...markdownIn('docs')];
const DOCUMENTS = [
  ...GUIDE,
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'compiler/README.md',
  'bench/README.md',
  'tree-sitter-grammar/README.md',
  ...readdirSync(join(ROOT, 'examples')).map((example) => `examples/${example}/README.md`),
];

/** What is fenced, and the language that it is marked with. */
const BLOCK = /^```([^\n`]*)\n(.*?)^```$/gms;

/** A part of a program cannot be compiled, so there should be little of it to be wrong. */
const LONGEST_PART = 12;

interface Block {
  readonly document: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

describe('the documents', () => {
  before(() => loadGrammar());

  const blocks = GUIDE.flatMap(blocksOf);
  const programs = blocks.filter(({ language }) => language === 'kiln');

  it('show programs', () => {
    expect(programs).to.have.length.greaterThan(10);
  });

  for (const { document, line, text } of programs) {
    it(`show a program that compiles: ${document}:${line}`, () => {
      const sources = [{ path: 'main.kiln', text }];
      const { definition, diagnostics } = compile(sources);
      const said = renderText(diagnostics, new SourceMap(sources), { colour: false });
      expect(definition, said).to.not.equal(undefined);
      expect(said, 'an example has no warnings either').to.equal('');
    });
  }

  it('show only small parts of programs', () => {
    const parts = blocks.filter(({ language }) => language === 'kiln-part');
    const long = parts.filter(({ text }) => text.split('\n').length > LONGEST_PART);
    expect(long.map(placeOf)).to.deep.equal([]);
  });

  it('mark every block of Kiln as a program or as a part of one', () => {
    const unmarked = blocks.filter(
      ({ language, text }) => language === '' && /^(model|api|populator|enum) .*\{/m.test(text),
    );
    expect(unmarked.map(placeOf)).to.deep.equal([]);
  });

  for (const document of DOCUMENTS) {
    if (document === COVERAGE) continue;
    it(`link only to what is there: ${document}`, () => {
      const broken = linksOf(document).filter((link) => !leadsSomewhere(document, link));
      expect(broken).to.deep.equal([]);
    });
  }

  it('name commands that exist', () => {
    const named = [...read('README.md').matchAll(/^\| `kiln ([a-z]+)/gm)].map(([, command]) => command as string);
    expect(named, 'the table of commands').to.not.be.empty;
    const known = commandsOf(helpText());
    expect(named.filter((command) => !known.includes(command))).to.deep.equal([]);
  });
});

function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => `${folder}/${file}`);
}

function read(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8');
}

function placeOf({ document, line }: Block): string {
  return `${document}:${line}`;
}

function blocksOf(document: string): readonly Block[] {
  const text = read(document);
  return [...text.matchAll(BLOCK)].map((match) => ({
    document,
    line: text.slice(0, match.index).split('\n').length,
    language: (match[1] as string).trim(),
    text: match[2] as string,
  }));
}

/** `[text](target)`, outside of code. */
function linksOf(document: string): readonly string[] {
  const prose = read(document)
    .replace(BLOCK, '')
    .replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
}

function leadsSomewhere(document: string, link: string): boolean {
  if (/^[a-z]+:/i.test(link)) return true;
  const [path = ''] = link.split('#');
  return path === '' || existsSync(join(ROOT, dirname(document), decodeURI(path)));
}

function helpText(): string {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs')]);
  return execFileSync(process.execPath, [join(ROOT, 'dist/kiln.js'), '--help'], { encoding: 'utf8' });
}

function commandsOf(help: string): readonly string[] {
  const [, commands = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
  return [...commands.matchAll(/^ {2}([a-z]+)/gm)].map(([, command]) => command as string);
}
