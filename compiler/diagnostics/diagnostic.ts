import type { Span } from '../source/source-file.ts';
import { type Code, catalogue, type Facts } from './catalogue/catalogue.ts';
import type { Severity, Words } from './words/words.ts';

/** A fact about the source. What to say about it is in the catalogue. */
export interface Diagnostic<C extends Code = Code> {
  readonly code: C;
  readonly span: Span;
  readonly facts: Facts<C>;
}

export function wordsOf(diagnostic: Diagnostic): Words {
  const words = catalogue[diagnostic.code] as (facts: Facts) => Words;
  return words(diagnostic.facts);
}

export function severityOf(diagnostic: Diagnostic): Severity {
  return wordsOf(diagnostic).severity ?? 'error';
}
