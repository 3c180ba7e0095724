import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatSource } from '../../compiler/format/format-source.ts';
import { type Token, tokensFromTree } from '../../compiler/format/tokens-from-tree.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import type { SyntaxNode } from '../../compiler/syntax/syntax-node.ts';
import { readSources } from '../../files/read-sources.ts';
import { caseFiles, compileCase } from '../support/case-file.ts';

const fixtures = fileURLToPath(new URL('format/', import.meta.url));
const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const BEFORE = '.before.kiln';

/** Small sources in which the layout decides between readings, or a token stands alone. */
const CORNERS = [
  '',
  'drop model A drop model B enum C { drop, was, a was b, drop drop, x }',
  'model A { query q { from b, order by { a, -b, desc, (c), not d, e desc } first } index { a, desc, b } }',
  'model A { computed x { not not - -3 + f(a.b(1, [2, [3]]), @auth.c, @auth) } }',
  'model A { hook h { arg query query, arg hook hook, arg x query { select { a, b: c { d } } }, inline """ a\n\n b """ } }',
  'model A { hook h { returns { a: b, nullable: c nullable, nullable: [d] } nullable, runtime r } }',
  'shape A of B { a, B, c: d, E, f G, ...H, I, j: k L, M } api { entrypoint @auth { response A, get endpoint { response { ...A B, C } } } }',
  'api { entrypoint A as as { create endpoint as as { action { create as as {} create as {} create as.b as x {} } } } }',
  'model A { field a { type string, default aaaaaaaaaaaaaaaaaaaaaaaaaa and bbbbbbbbbbbbbbbbbbbbbbbbbbb or cccccccccccccc } }',
];

describe('the formatter', () => {
  before(() => loadGrammar());

  for (const name of fixtureNames()) {
    it(`formats ${name}`, () => {
      const after = `${fixtures}${name}.after.kiln`;
      const formatted = format(readFileSync(`${fixtures}${name}${BEFORE}`, 'utf8'));
      if (process.env.UPDATE_GOLDEN) writeFileSync(after, formatted);
      expect(formatted).to.equal(readFileSync(after, 'utf8'));
      expect(format(formatted), 'the second time').to.equal(formatted);
    });
  }

  it('writes LF, whatever the line ends were, and leaves the content of texts alone', () => {
    const source = '// a\r\nmodel A {\r\n\r\n\r\n  /* b\r\n  c */\r\n  hook h { inline """x\r\ny""" }\r\n}\r\n';
    expect(format(source)).to.equal('// a\nmodel A {\n  /* b\n  c */\n  hook h {\n    inline """x\r\ny"""\n  }\n}\n');
  });

  it('keeps a block on one line up to 100 columns', () => {
    const line = (name: string) => `model A { field ${name} { type string, unique } }\n`;
    const longest = 'a'.repeat(100 - line('').length + 1);
    expect(format(line(longest))).to.equal(line(longest));
    expect(format(line(`${longest}a`))).to.equal(`model A {\n  field ${longest}a { type string, unique }\n}\n`);
  });

  it('makes nothing of nothing', () => {
    expect(format('')).to.equal('');
    expect(format(' \r\n\t\n')).to.equal('');
    expect(format('\n// alone')).to.equal('// alone\n');
  });

  it('refuses a source with syntax errors', () => {
    expect(() => format('model {')).to.throw('only a source without syntax errors can be formatted');
  });

  it('never loses or changes anything, and is at rest after one run', function () {
    this.timeout(0);
    const runs = Number(process.env.FORMAT_RUNS ?? 150);
    const disturbed = fc
      .tuple(fc.constantFrom(...sources()), fc.array(fc.tuple(fc.nat(), fc.constantFrom(...NOISE)), { maxLength: 12 }))
      .map(([source, noise]) => disturb(source, noise));
    fc.assert(fc.property(disturbed, holdsStill), { numRuns: runs });
  });

  it('keeps the definition of every construct, whose aliases it replaces', () => {
    for (const construct of caseFiles(fileURLToPath(new URL('language', import.meta.url)))) {
      const sources = construct.sources.map((source) => ({ ...source, text: format(source.text) }));
      expect(compileCase({ ...construct, sources }).definition, construct.name).to.deep.equal(
        compileCase(construct).definition,
      );
    }
  });

  it('formats long sources and long lines', () => {
    const models = readFileSync(`${fixtures}comments.after.kiln`, 'utf8').repeat(400);
    expect(format(models)).to.equal(models);
    const line = `model A { computed x { ${'a and b(1, [2]) or '.repeat(8000)}c } }`;
    const formatted = format(line);
    expect(format(formatted)).to.equal(formatted);
  });

  it('follows any depth', () => {
    const parentheses = `model A { computed x { ${'('.repeat(5000)}1${')'.repeat(5000)} } }`;
    const lists = `model A { computed x { ${'['.repeat(500)}1, 2${']'.repeat(500)} } }`;
    const blocks = `api { ${'entrypoint a { '.repeat(500)}${'}'.repeat(500)} }`;
    for (const source of [parentheses, lists, blocks]) {
      const formatted = format(source);
      expect(format(formatted)).to.equal(formatted);
      expect(shape(formatted)).to.deep.equal(shape(source));
    }
  });
});

function format(source: string): string {
  return formatSource(source, parseText(source));
}

/** The best of several runs, in microseconds of the processor: the others were disturbed. */
function fixtureNames(): readonly string[] {
  const names = readdirSync(fixtures).filter((name) => name.endsWith(BEFORE));
  return names.map((name) => name.slice(0, -BEFORE.length));
}

function sources(): readonly string[] {
  const fixtureTexts = fixtureNames().map((name) => readFileSync(`${fixtures}${name}.after.kiln`, 'utf8'));
  return [...CORNERS, ...fixtureTexts, ...exampleTexts()];
}

function exampleTexts(): readonly string[] {
  if (!existsSync(examples)) return [];
  return readSources(examples).sources.map(({ text }) => text);
}

// ── Disturbing a source without changing what it says ───────────────────────────────────────────────────────────────

/** Stands for the removal of the line breaks from here on. */
const JOINED = 'joined';

const NOISE = [
  JOINED,
  '\n',
  '\n\n\n',
  ' \t ',
  ',',
  '/* c */',
  ' /* a\n   b */ ',
  '\n/*\n  * a\n      * b\n*/\n',
  '// line\n',
  '\n// own line\n',
  '\n\n/// doc\n',
  `/* ${'long '.repeat(20)}*/`,
] as const;

/** Puts each noise into the gap before some token; a comma only where one may stand. */
function disturb(source: string, noise: readonly (readonly [number, string])[]): string {
  const { tokens } = tokensFromTree(source, parseText(source).root);
  const gaps = tokens.map((token, at) => gapBefore(source, tokens[at - 1], token));
  gaps.push('');
  for (const [where, what] of noise) if (what === JOINED) joinLines(tokens, gaps, where % gaps.length);
  for (const [where, what] of noise) {
    const at = where % gaps.length;
    if (what !== JOINED && (what !== ',' || mayTakeComma(tokens, gaps, at))) gaps[at] += what;
  }
  return tokens.map((token, at) => gaps[at] + source.slice(token.start, token.end)).join('') + gaps.at(-1);
}

function gapBefore(source: string, before: Token | undefined, token: Token): string {
  return source.slice(before?.end ?? 0, token.start);
}

function joinLines(tokens: readonly Token[], gaps: string[], from: number): void {
  for (let at = from; at < from + 30 && at < tokens.length; at++) {
    if (tokens[at - 1]?.comment !== 'line') gaps[at] = (gaps[at] as string).replace(/\s+/g, ' ');
  }
}

/** After a member that has no comma yet. */
function mayTakeComma(tokens: readonly Token[], gaps: readonly string[], at: number): boolean {
  if (tokens[at - 1]?.comma !== 'when-flat') return false;
  let code = at;
  while (tokens[code]?.comment) code++;
  return !gaps.slice(at, code + 1).some((gap) => gap.includes(','));
}

// ── What must not change ────────────────────────────────────────────────────────────────────────────────────────────

function holdsStill(source: string): void {
  expect(parseText(source).hasErrors, `the test's own source is wrong:\n${source}`).to.equal(false);
  const formatted = format(source);
  expect(shape(formatted), 'meaning').to.deep.equal(shape(source));
  expect(comments(formatted), 'comments').to.deep.equal(comments(source));
  expect(format(formatted), 'second run').to.equal(formatted);
  expect(layoutFaults(formatted), 'layout').to.deep.equal([]);
}

/** The tree without positions and comments, flat, with the text of every name, literal and keyword. */
function shape(source: string): readonly string[] {
  const out: string[] = [];
  const ahead: (SyntaxNode | string)[] = [parseText(source).root];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') out.push(next);
    else if (!isComment(next)) {
      const children = next.children.filter((child) => !isComment(child));
      out.push(`${next.field ?? ''} ${next.type} ${children.length === 0 ? wordsOf(source, next) : ''}(`);
      ahead.push(')', ...[...children].reverse());
    }
  }
  return out;
}

/** The words of a node that has no children but comments, such as `set null`. */
function wordsOf(source: string, node: SyntaxNode): string {
  let words = source.slice(node.start, node.end);
  for (const comment of [...node.children].reverse()) {
    const from = comment.start - node.start;
    words = `${words.slice(0, from)} ${words.slice(comment.end - node.start)}`;
  }
  return node.type === 'raw_string' ? words : words.replace(/\s+/g, node.type === 'string' ? '$&' : '');
}

function comments(source: string): readonly string[] {
  const { tokens } = tokensFromTree(source, parseText(source).root);
  return tokens.filter((token) => token.comment).map((token) => token.text.replace(/\s+/g, ' '));
}

function isComment(node: SyntaxNode): boolean {
  return node.type === 'comment' || node.type === 'doc_comment';
}

function layoutFaults(formatted: string): readonly string[] {
  const outsideTexts = formatted.replace(/"""[\s\S]*?"""/g, '""');
  const faults: string[] = [];
  if (/[ \t\r]+$/m.test(outsideTexts)) faults.push('blanks at the end of a line');
  if (/\n\n\n/.test(outsideTexts)) faults.push('two blank lines');
  if (/\{\n\n|\n\n *\}/.test(outsideTexts)) faults.push('a blank line directly inside braces');
  if (/^\s|[^\n]$|\n\n$/.test(formatted)) faults.push('a bad start or end');
  if (/\t/.test(outsideTexts)) faults.push('a tab');
  return faults;
}
