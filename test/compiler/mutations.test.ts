import { resolve } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../../compiler/compile.ts';
import { type Diagnostic, wordsOf } from '../../compiler/diagnostics/diagnostic.ts';
import { renderJson } from '../../compiler/diagnostics/render-json.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile, Span } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { readSources } from '../../files/read-sources.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { isSlow, itInBoth } from '../support/slow.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const RUNS = Number(process.env.MUTATIONS ?? 1_000);

/** Words, texts and punctuation, cut where an author's hand might slip. */
const PIECE = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|[A-Za-z_]\w*|\d+(?:\.\d+)?|\s+|[^\s\w]/g;

type Slip =
  | { readonly kind: 'drop' | 'double' | 'swap'; readonly at: number }
  | { readonly kind: 'put'; readonly at: number; readonly text: string };

/** Whatever is done to a program, the compiler answers, and what it says is about the program. */
describe('broken sources', () => {
  before(() => loadGrammar());
  const declarations = examplePieces();

  itInBoth(`are answered without a crash, ${RUNS} times, and every message points into the source`, function () {
    this.timeout(300_000);
    const words = [...new Set(declarations.flat().filter((piece) => piece.trim() !== ''))];
    const slip = slipFrom(words);
    const program = fc.tuple(
      fc.shuffledSubarray([...declarations], { minLength: 1, maxLength: 3 }),
      fc.array(slip, { minLength: 1, maxLength: 4 }),
    );
    fc.assert(
      fc.property(program, ([pieces, slips]) => answersSoundly(slips.reduce(slipped, pieces.flat()).join(''))),
      { numRuns: RUNS },
    );
  });

  itInBoth('are answered without a crash when they are no program at all', () => {
    fc.assert(fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 200 }), answersSoundly), {
      numRuns: isSlow ? 700 : 300,
    });
  });
});

/** The top-level declarations of the examples, each as its pieces. */
function examplePieces(): readonly (readonly string[])[] {
  const texts = readSources(EXAMPLES).sources.map(({ text }) => text);
  return texts
    .flatMap((text) => text.split(/\n(?=(?:\/\/\/|model|enum|api|populator|validator|auth|runtime|generator|drop)\b)/))
    .filter((text) => text.length < 3_000)
    .map((text) => `${text}\n`.match(PIECE) ?? []);
}

function slipFrom(words: readonly string[]): fc.Arbitrary<Slip> {
  const at = fc.nat();
  return fc.oneof(
    fc.record({ kind: fc.constantFrom('drop' as const, 'double' as const, 'swap' as const), at }),
    fc.record({ kind: fc.constant('put' as const), at, text: fc.constantFrom(...words) }),
    fc.record({ kind: fc.constant('put' as const), at, text: fc.string({ unit: 'grapheme', maxLength: 6 }) }),
  );
}

function slipped(pieces: readonly string[], slip: Slip): readonly string[] {
  const at = pieces.length === 0 ? 0 : slip.at % pieces.length;
  const piece = pieces[at] ?? '';
  switch (slip.kind) {
    case 'drop':
      return pieces.toSpliced(at, 1);
    case 'double':
      return pieces.toSpliced(at, 0, piece);
    case 'swap':
      return at + 1 < pieces.length ? pieces.toSpliced(at, 2, pieces[at + 1] as string, piece) : pieces;
    case 'put':
      return pieces.toSpliced(at, 1, slip.text);
  }
}

function answersSoundly(text: string): void {
  const sources: readonly SourceFile[] = [{ path: 'main.kiln', text }];
  const { definition, diagnostics } = compile(sources);
  for (const span of diagnostics.flatMap(spansOf)) expect(isInside(span, text), JSON.stringify(span)).to.equal(true);
  const map = new SourceMap(sources);
  renderText(diagnostics, map, { colour: true });
  renderJson(diagnostics, map);
  if (!definition) expect(diagnostics, 'no definition and nothing said').to.not.be.empty;
}

function spansOf(diagnostic: Diagnostic): readonly Span[] {
  const { notes = [], edits = [] } = wordsOf(diagnostic);
  return [diagnostic.span, ...notes.map(({ span }) => span), ...edits.map(({ span }) => span)];
}

function isInside({ file, start, end }: Span, text: string): boolean {
  return file === 'main.kiln' && start >= 0 && start <= end && end <= text.length;
}
