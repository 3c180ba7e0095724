import type { Position, Range, TextDocumentContentChangeEvent } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Declaration } from '../../compiler/ast/ast.ts';
import { isTemplatePath } from '../../compiler/check/mails.ts';
import { readSource } from '../../compiler/compile.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { Diagnostics } from '../../compiler/diagnostics/diagnostics.ts';
import { declarationCuts } from '../../compiler/syntax/declarations.ts';
import { wordsFor } from '../../compiler/syntax/shapes.ts';

/** A source file or the template of a mail, as the editor has it or as it is on the disk. */
export class KilnFile {
  /** The path relative to the project's folder, with `/`. */
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

  get isTemplate(): boolean {
    return isTemplatePath(this.path);
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

  /** Replaces the whole text. Unchanged parts keep their sections. */
  replace(uri: string, text: string, version: number): void {
    this.#document = TextDocument.create(uri, 'kiln', version, text);
    this.#split();
  }

  apply(change: TextDocumentContentChangeEvent, version: number): void {
    TextDocument.update(this.#document, [change], version);
    this.#split();
  }

  #split(): void {
    this.#sections = this.isTemplate ? split(this.path, this.text) : splitAgain(this.#sections, this.text);
    this.#starts = startsOf(this.#sections);
  }

  offsetAt(position: Position): number {
    return this.#document.offsetAt(position);
  }

  positionAt(offset: number): Position {
    return this.#document.positionAt(offset);
  }

  placeAt(position: Position) {
    const offset = this.offsetAt(position);
    // The later section wins if two touch there.
    const index = this.#starts.findLastIndex((start) => start <= offset);
    return { section: this.#sections[index] as Section, offset: offset - (this.#starts[index] as number) };
  }

  startOf(index: number): number {
    return this.#starts[index] ?? this.text.length;
  }

  /** The sections that a range of the file touches, with their indexes; all of them without one. */
  sectionsIn(range: Range | undefined): readonly { readonly section: Section; readonly index: number }[] {
    const from = range ? this.offsetAt(range.start) : 0;
    const to = range ? this.offsetAt(range.end) : this.text.length;
    const all = this.sections.map((section, index) => ({ section, index }));
    return all.filter(({ index }) => this.startOf(index) <= to && this.startOf(index + 1) >= from);
  }

  /** The range of a stretch of the section at an index. */
  rangeIn(index: number, start: number, end: number): Range {
    const from = this.startOf(index);
    return { start: this.positionAt(from + start), end: this.positionAt(from + end) };
  }
}

// ── Split ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Cuts a file into sections. After an edit, unchanged ones stay the same object.

function split(path: string, text: string): readonly Section[] {
  if (isTemplatePath(path)) return [new Section(path, text)];
  return piecesOf(text).map((piece, index) => new Section(`${path}\n${String(index).padStart(7, '0')}m`, piece));
}

function piecesOf(text: string): readonly string[] {
  const from = [0, ...declarationCuts(text).filter((cut) => cut > 0 && cut < text.length)];
  return from.map((cut, index) => text.slice(cut, from[index + 1]));
}

function splitAgain(sections: readonly Section[], text: string): readonly Section[] {
  const pieces = piecesOf(text);
  const shorter = Math.min(sections.length, pieces.length);
  let first = 0;
  while (first < shorter && sections[first]?.text === pieces[first]) first++;
  let same = 0;
  while (same < shorter - first && sections.at(-1 - same)?.text === pieces.at(-1 - same)) same++;
  const stop = sections.length - same;
  const between = renewed(sections, first, stop, pieces.slice(first, pieces.length - same));
  return [...sections.slice(0, first), ...between, ...sections.slice(stop)];
}

function startsOf(sections: readonly Section[]): readonly number[] {
  let at = 0;
  return sections.map(({ text }) => {
    const start = at;
    at += text.length;
    return start;
  });
}

/**
 * The sections that replace `sections[first..stop)`: the same object for the same text, the same id for the same name.
 */
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

// ── Section ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A text that could be read, with what it declares. */
export interface Sound {
  readonly text: string;
  readonly declarations: readonly Declaration[];
}

interface Readout {
  readonly sound: Sound | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A part of a file, mostly one declaration with the comments above it. It is read as if it were a file of its own, so
 * that an edit elsewhere leaves it unchanged: its places are counted from its own beginning, and `id` stands for a
 * file. The template of a mail is one section, whose id is its path.
 */
export class Section {
  /**
   * The id. It sorts in the order of the sections in the project, and stays with a declaration while it is being
   * edited.
   */
  readonly id: string;
  readonly text: string;
  readonly #former: Sound | undefined;
  #readout: Readout | undefined;

  constructor(id: string, text: string, former?: Section) {
    this.id = id;
    this.text = text;
    // The former text is the last that could be read; a chain of all former texts would grow with every key.
    this.#former = former && (former.#readout?.sound ?? former.#former);
  }

  /** The diagnostics of the text by itself. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#read().diagnostics;
  }

  get isSound(): boolean {
    return this.#read().sound !== undefined;
  }

  /** The declarations of the text; if it cannot be read, those of the last text that could be. */
  get standIn(): Sound | undefined {
    return this.#read().sound ?? this.#former;
  }

  #read(): Readout {
    this.#readout ??= readSection(this.id, this.text);
    return this.#readout;
  }
}

function readSection(id: string, text: string): Readout {
  if (isTemplatePath(id)) return { sound: { text, declarations: [] }, diagnostics: [] };
  const diagnostics = new Diagnostics();
  const read = readSource({ path: id, text }, diagnostics);
  return { sound: read && { text, declarations: read.ast.declarations }, diagnostics: diagnostics.sorted() };
}
