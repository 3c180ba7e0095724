import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { corpusCases } from './corpus-file.ts';
import { native, wasm } from './engines.ts';

const repository = new URL('../../', import.meta.url);
const corpus = filesBelow('tree-sitter-grammar/test/corpus/', '.txt').flatMap(([, text]) => corpusCases(text));

const examples = readSources(fileURLToPath(new URL('examples/', repository))).sources.map(({ text }) => text);

const SEED = 20;
const BROKEN_TEXTS = 3000;
const LONGEST_BROKEN_TEXT = 1000;
const MOST_BREAKS = 6;
const LONGEST_BREAK = 40;
const STRAY_PIECES = [
  ...['{', '}', '(', ')', '[', '"', '"""', ',', '.', ':', '-', '<', ' ', '\n', '\r', '\\', '/*', '//', '///', '😀'],
  ...['@auth', 'hook ', 'not ', 'is ', 'as ', 'set ', 'model ', 'entrypoint ', 'query ', '1.', 'null '],
];
const WASM_CHUNK = 5 * 1024 - 1;

describe('the two engines agree', () => {
  before(function () {
    if (!native) this.skip();
  });

  it('on every source of the corpus', () => {
    for (const { source } of corpus) expectOneTree(source);
  });

  it('on the same sources with the line ends of Windows', () => {
    for (const { source } of corpus) expectOneTree(source.replaceAll('\n', '\r\n'));
  });

  it('on every example', () => {
    for (const text of examples) expectOneTree(text);
  });

  it('on the examples, broken in many ways', () => expectOneTreeWhenBroken(examples));

  it('on the sources of the corpus, broken in many ways', () => {
    expectOneTreeWhenBroken(corpus.map(({ source }) => source));
  });

  for (const [what, text] of oddTexts()) it(`on ${what}`, () => expectOneTree(text));
});

function expectOneTree(text: string): void {
  const [one, other] = [parseText(text, native), parseText(text, wasm)];
  // chai shows the difference, but takes far longer to find out that there is none.
  if (!isDeepStrictEqual(one, other)) expect(one).to.deep.equal(other, text);
}

function expectOneTreeWhenBroken(sources: readonly string[]): void {
  const random = randomNumbers(SEED);
  for (let count = 0; count < BROKEN_TEXTS; count++) expectOneTree(brokenText(sources, random));
}

function oddTexts(): [string, string][] {
  return [
    ['an empty text', ''],
    ['white space', ' \t\r\n\f\u00a0\u2028'],
    ['a byte order mark', '\ufeffmodel A {}'],
    [
      'emoji in strings, comments and elsewhere',
      'model A { computed b { "😀👩‍👩‍👧" } } // 😀\n😀 model 𝒳 {} /* 日本 */',
    ],
    ['halves of surrogate pairs', 'model A { computed b { "\ud83d" } } // \ude00\n\ud83d model B {}'],
    ['control characters', 'model \u0000A { computed \u0001b { "\u0000" } }\u001a'],
    ['an emoji on the edge of what is read at once', `// ${'x'.repeat(WASM_CHUNK - 4)}😀\nmodel A {}`],
    ['a stray emoji on the edge of what is read at once', `//${'x'.repeat(WASM_CHUNK - 4)}\n😀 model A {}`],
    ['a text longer than any buffer', `/// 😀 é\nmodel A { computed b { "😀" + c.d } }\n`.repeat(3000)],
    ['a line longer than any buffer', `model A { computed b { "${'😀'.repeat(40_000)}" } }`],
  ];
}

type Random = (below: number) => number;

function brokenText(sources: readonly string[], random: Random): string {
  let text = pieceOf(pick(sources, random), LONGEST_BROKEN_TEXT, random);
  for (let breaks = random(MOST_BREAKS); breaks >= 0; breaks--) text = withOneBreak(text, sources, random);
  return text;
}

function withOneBreak(text: string, sources: readonly string[], random: Random): string {
  const at = random(text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const ways = [
    () => before + after.slice(1 + random(LONGEST_BREAK)),
    () => before + pick(STRAY_PIECES, random) + after,
    () => before + pieceOf(pick(sources, random), LONGEST_BREAK, random) + after,
    () => before + after.slice(0, random(LONGEST_BREAK)) + after,
  ];
  return pick(ways, random)();
}

function pieceOf(text: string, longest: number, random: Random): string {
  const start = random(text.length);
  return text.slice(start, start + 1 + random(longest));
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[random(from.length)] as T;
}

/** The same numbers in every run, so that a failure can be seen again. */
function randomNumbers(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

function filesBelow(folder: string, ending: string): [string, string][] {
  const root = new URL(folder, repository);
  if (!existsSync(root)) return [];
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
  return names.map((name) => [name, readFileSync(new URL(name, root), 'utf8')]);
}
