import type { Position } from '../source/source-file.ts';
import { type Diagnostic, wordsOf } from './diagnostic.ts';
import type { Words } from './words/words.ts';

// What `placeOf` writes.
const PLACE_MARK = /\u0001([^\u0002]*)\u0002(\d+)\u0003/g;

/** Answers where something is, by the file as a span names it. */
export interface Places {
  name(file: string): string;
  lines(file: string): { positionAt(offset: number): Position };
}

/** What is said about a fact, with `file:line` wherever the catalogue left the mark of a place. */
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
