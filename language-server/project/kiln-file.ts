import type { Position, Range, TextDocumentContentChangeEvent } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { declarationCuts } from '../../compiler/syntax/declarations.ts';
import { wordsFor } from '../../compiler/syntax/shapes.ts';
import { Section } from './section.ts';
import { commonEnds } from './shift.ts';

/** A place within a section. */
interface SectionPlace {
  readonly section: Section;
  readonly offset: number;
}

/** A source file as the editor has it, or as it is on the disk. */
export class KilnFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  #document: TextDocument;
  #sections: readonly Section[];
  #starts: readonly number[];

  constructor(path: string, uri: string, text: string, version = 0) {
    this.path = path;
    this.#document = TextDocument.create(uri, 'kiln', version, text);
    this.#sections = split(path, text);
    this.#starts = startsOf(this.#sections);
  }

  get uri(): string {
    return this.#document.uri;
  }

  get version(): number {
    return this.#document.version;
  }

  get text(): string {
    return this.#document.getText();
  }

  get sections(): readonly Section[] {
    return this.#sections;
  }

  /** The whole text anew. Whatever of it is the same keeps its sections. */
  replace(uri: string, text: string, version: number): void {
    const before = this.text;
    this.#document = TextDocument.create(uri, 'kiln', version, text);
    if (text !== before) this.#split(changeBetween(before, text));
  }

  apply(change: TextDocumentContentChangeEvent, version: number): void {
    if (!('range' in change)) {
      this.replace(this.uri, change.text, version);
      return;
    }
    const [start, end] = [change.range.start, change.range.end]
      .map((position) => this.offsetAt(position))
      .sort(byNumber);
    TextDocument.update(this.#document, [change], version);
    const replaced = (end as number) - (start as number);
    this.#split({ start: start as number, end: end as number, moved: change.text.length - replaced });
  }

  #split(change: Change): void {
    this.#sections = splitAgain(this.#sections, this.text, change);
    this.#starts = startsOf(this.#sections);
  }

  offsetAt(position: Position): number {
    return this.#document.offsetAt(position);
  }

  positionAt(offset: number): Position {
    return this.#document.positionAt(offset);
  }

  placeAt(position: Position): SectionPlace {
    const offset = this.offsetAt(position);
    const index = sectionAt(this.#starts, offset);
    return { section: this.#sections[index] as Section, offset: offset - (this.#starts[index] as number) };
  }

  startOf(index: number): number {
    return this.#starts[index] ?? this.text.length;
  }

  /** The range of a stretch of the section at an index. */
  rangeIn(index: number, start: number, end: number): Range {
    const from = this.startOf(index);
    return { start: this.positionAt(from + start), end: this.positionAt(from + end) };
  }
}

function byNumber(a: number, b: number): number {
  return a - b;
}

function changeBetween(before: string, after: string): Change {
  const { head, tail } = commonEnds(before, after);
  return { start: head, end: before.length - tail, moved: after.length - before.length };
}

// ── Split ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Cuts a file into sections, and after an edit only the part around it; what has not changed stays the same object.

/** What is replaced, by offsets in the text before, and by how much the text behind it moves. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly moved: number;
}

function split(path: string, text: string): readonly Section[] {
  return piecesOf(text, 0, text.length, declarationCuts(text)).map(
    (piece, index) => new Section(`${path}\n${String(index).padStart(7, '0')}m`, piece),
  );
}

function piecesOf(text: string, start: number, end: number, cuts: readonly number[]): readonly string[] {
  const from = [start, ...cuts.filter((cut) => cut > start && cut < end)];
  return from.map((cut, index) => text.slice(cut, from[index + 1] ?? end));
}

/** `text` is the whole of the new one. */
function splitAgain(sections: readonly Section[], text: string, change: Change): readonly Section[] {
  const starts = startsOf(sections);
  const startAt = (index: number) => starts[index] ?? Number.POSITIVE_INFINITY;
  // The section before may be about to swallow this one.
  const first = Math.max(0, sectionAt(starts, change.start) - 1);
  const beyond = sectionAt(starts, change.end) + 1;
  for (let stop = beyond; ; stop += Math.max(1, stop - first)) {
    const end = stop < sections.length ? startAt(stop) + change.moved : text.length;
    const seen = stop + 1 < sections.length ? startAt(stop + 1) + change.moved : text.length;
    const start = startAt(first);
    const cuts = declarationCuts(text.slice(start, seen)).map((cut) => cut + start);
    // Where a cut is still where it was, nothing behind it can have changed.
    if (stop >= sections.length || cuts.includes(end)) {
      const pieces = piecesOf(text, start, end, cuts);
      return [...sections.slice(0, first), ...renewed(sections, first, stop, pieces), ...sections.slice(stop)];
    }
  }
}

function startsOf(sections: readonly Section[]): readonly number[] {
  let at = 0;
  return sections.map(({ text }) => {
    const start = at;
    at += text.length;
    return start;
  });
}

/** The index of the section that holds an offset; of two that touch there, the later one. */
function sectionAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Sections in place of `sections[first..stop)`: the same object for the same text, the same id for the same name. */
function renewed(
  sections: readonly Section[],
  first: number,
  stop: number,
  pieces: readonly string[],
): readonly Section[] {
  const old = sections.slice(first, stop);
  const matches = matched(old, pieces);
  const path = (sections[0] as Section).id.split('\n', 1)[0] as string;
  let before = sections[first - 1]?.id ?? `${path}\n`;
  return pieces.map((piece, index) => {
    const former = matches[index];
    const following = matches.slice(index + 1).find((match) => match !== undefined) ?? sections[stop];
    const id = former?.id ?? idBetween(before, following?.id);
    before = id;
    return former?.text === piece ? former : new Section(id, piece, former);
  });
}

/** Each piece with the section that it was, in the same order. */
function matched(old: readonly Section[], pieces: readonly string[]): readonly (Section | undefined)[] {
  if (old.length === pieces.length) return old;
  let next = 0;
  return pieces.map((piece) => {
    const found = old.findIndex((section, index) => index >= next && headOf(section.text) === headOf(piece));
    if (found >= 0) next = found + 1;
    return old[found];
  });
}

const HEAD = new RegExp(`^(?:${wordsFor('file').join('|')})\\b.*`, 'm');

/** The first words of the declaration, which tell it from others. */
function headOf(text: string): string {
  return HEAD.exec(text)?.[0].replace(/\{.*/s, '').trim() ?? '';
}

/** An id that sorts between two others. All of them end in `m`, so that there is a letter below and one above. */
function idBetween(before: string, after: string | undefined): string {
  return after?.startsWith(before) ? `${after.slice(0, -1)}lm` : `${before}m`;
}
