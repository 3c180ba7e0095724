import type { Span } from '../source/source-file.ts';
import { type Code, catalogue, type Facts } from './catalogue/catalogue.ts';
import type { Severity, Words } from './words/words.ts';

/** A fact about the source. What to say about it is in the catalogue. */
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
