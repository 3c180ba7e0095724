import type { FileText, Position, SourceFile } from './source-file.ts';

/** Finds the line and column of an offset in a text. It is made once for each text with something to report. */
export class LineIndex {
  readonly #text: string;
  readonly #starts: readonly number[];
  #last = { offset: 0, column: 1 };

  constructor(text: string) {
    this.#text = text;
    this.#starts = lineStarts(text);
  }

  /** The offset at which a line begins. */
  startOf(line: number): number {
    return this.#starts[line - 1] ?? this.#text.length;
  }

  /** The line without its line end. */
  lineText(line: number): string {
    return this.#text.slice(this.startOf(line), this.startOf(line + 1)).replace(/\r?\n$/, '');
  }

  positionAt(offset: number): Position {
    const line = this.#lineAt(offset);
    return { line, column: this.#columnAt(line, offset) };
  }

  /**
   * The column of an offset. Positions are mostly needed in order, so counting continues from the last one on the same
   * line.
   */
  #columnAt(line: number, offset: number): number {
    const start = this.startOf(line);
    const goesOn = this.#last.offset >= start && this.#last.offset <= offset;
    let { offset: at, column } = goesOn ? this.#last : { offset: start, column: 1 };
    for (; at < offset; at++) if (!isLowSurrogate(this.#text.charCodeAt(at))) column++;
    this.#last = { offset, column };
    return column;
  }

  #lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The line indexes of a set of sources, each made when it is first needed. */
export class SourceMap {
  readonly #sources: ReadonlyMap<string, SourceFile>;
  readonly #indexes = new Map<string, LineIndex>();
  readonly #folder: string;
  readonly #fileText: FileText;

  /**
   * `folder` is the project's folder as the reader sees it: its files are named from there. `fileText` finds files that are
   * no sources, such as templates of mails.
   */
  constructor(sources: readonly SourceFile[], folder = '', fileText: FileText = () => undefined) {
    this.#sources = new Map(sources.map((source) => [source.path, source]));
    this.#folder = folder;
    this.#fileText = fileText;
  }

  /** The file as the reader would open it. */
  name(file: string): string {
    return this.#folder === '' ? file : `${this.#folder}/${file}`;
  }

  text(file: string): string {
    return this.#sources.get(file)?.text ?? this.#fileText(file) ?? '';
  }

  lines(file: string): LineIndex {
    let index = this.#indexes.get(file);
    if (!index) {
      index = new LineIndex(this.text(file));
      this.#indexes.set(file, index);
    }
    return index;
  }
}
