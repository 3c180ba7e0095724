import type { Position, Span } from '../source/source-file.ts';
import { type Code, catalogue, type Facts } from './catalogue/catalogue.ts';
import type { Severity, Words } from './words/words.ts';

/** A fact about the source. The words about it are in the catalogue. */
export interface Diagnostic<C extends Code = Code> {
  readonly code: C;
  readonly span: Span;
  readonly facts: Facts<C>;
}

/** A fact from outside of the compiler, such as about the code of hooks, with its words. */
export interface Worded {
  readonly code: string;
  /** Null where it is in no line of the author. */
  readonly span: Span | null;
  readonly words: Omit<Words, 'instead'>;
}

export type Reported = Diagnostic | Worded;

export function wordsOf(reported: Reported): Omit<Words, 'instead'> {
  if ('words' in reported) return reported.words;
  const { code, span, facts } = reported;
  const wordsFor = catalogue[code] as (facts: Facts) => Words;
  const { instead, ...words } = wordsFor(facts);
  return instead === undefined ? words : { ...words, edits: [{ span, text: instead }] };
}

export function severityOf(diagnostic: Reported): Severity {
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
export function placedWords(diagnostic: Reported, sources: Places): Words {
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
