import type { Position, Range, TextDocumentContentChangeEvent } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { commonEnds } from './difference.ts';
import type { Section } from './section.ts';
import { type Change, sectionAt, split, splitAgain, startsOf } from './split.ts';

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
