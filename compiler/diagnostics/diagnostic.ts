import type { Position, Span } from '../source/source-file.ts';
import { type Code, catalogue, type Facts } from './catalogue/catalogue.ts';
import type { Severity, Words } from './words/words.ts';

/** A fact about the source. The words about it are in the catalogue. */
export interface Diagnostic<C extends Code = Code> {
  readonly code: C;
  readonly span: Span;
  readonly facts: Facts<C>;
}

export function wordsOf({ code, span, facts }: Diagnostic): Omit<Words, 'instead'> {
  const wordsFor = catalogue[code] as (facts: Facts) => Words;
  const { instead, ...words } = wordsFor(facts);
  return instead === undefined ? words : { ...words, edits: [{ span, text: instead }] };
}

export function severityOf(diagnostic: Diagnostic): Severity {
  return wordsOf(diagnostic).severity ?? 'error';
}

// ── Places ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// The mark that `placeOf` writes.
const PLACE_MARK = /\u0001([^\u0002]*)\u0002(\d+)\u0003/g;

/** Tells where something is, by the file as a span names it. */
export interface Places {
  name(file: string): string;
  lines(file: string): { positionAt(offset: number): Position };
}

/** The words about a fact, with `file:line` in place of each mark that the catalogue left. */
export function placedWords(diagnostic: Diagnostic, sources: Places): Words {
  const words = wordsOf(diagnostic);
  const placed = (text: string) => withPlaces(text, sources);
  return {
    ...words,
    message: placed(words.message),
    label: words.label && placed(words.label),
    help: words.help && placed(words.help),
    notes: words.notes?.map((note) => ({ ...note, text: placed(note.text) })),
  };
}

function withPlaces(text: string, sources: Places): string {
  return text.replace(PLACE_MARK, (_mark, file: string, offset: string) => {
    return `${sources.name(file)}:${sources.lines(file).positionAt(Number(offset)).line}`;
  });
}
