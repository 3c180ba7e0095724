/**
 * A definition whose models and endpoints are read when they are first used. A server of a thousand models needs their names
 * and the paths of its endpoints to start; the rest is most of 35 MB, and most of it is not asked for soon. What is not read
 * yet takes no memory: it stays in the file.
 */
import { Buffer } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Definition } from '../../compiler/definition/definition.ts';

/** Null where the file is not written as `definitionText` writes it, with a line for each item. It may still be JSON. */
export function lazyDefinition(file: string): Definition | null {
  // It stays open: what is not read yet is read from it later.
  const descriptor = openSync(file, 'r');
  try {
    return definitionFrom(linesOf(descriptor), { file, descriptor });
  } catch (error) {
    closeSync(descriptor);
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

interface OpenFile {
  readonly file: string;
  readonly descriptor: number;
}

const PROPERTY = /^"(\w+)": (.*)$/;

function definitionFrom(lines: Iterator<Line>, open: OpenFile): Definition {
  const definition: Record<string, unknown> = {};
  if (!nextOf(lines).is('{')) throw new SyntaxError('the first line has more than a brace');
  for (let line = nextOf(lines); !line.is('}'); line = nextOf(lines)) {
    const [, name, value] = PROPERTY.exec(line.text()) ?? [];
    if (name === undefined || value === undefined) throw new SyntaxError('a line is no property');
    definition[name] = value === '[' ? itemsFrom(lines, name, open) : JSON.parse(value);
  }
  if (!lines.next().done) throw new SyntaxError('something follows the definition');
  return definition as unknown as Definition;
}

/** What comes after the properties that a start needs, and those by which the console finds the endpoints of a model. */
const ENDS_OF_HEADS: ReadonlyMap<string, Buffer> = new Map([
  ['models', Buffer.from(',"was":')],
  ['endpoints', Buffer.from(',"authReads":')],
]);

function itemsFrom(lines: Iterator<Line>, name: string, open: OpenFile): readonly unknown[] {
  const endOfHead = ENDS_OF_HEADS.get(name);
  const items: unknown[] = [];
  for (let line = nextOf(lines); !line.is(']'); line = nextOf(lines))
    items.push(endOfHead ? lazyItem(line, endOfHead, open) : JSON.parse(line.text()));
  return items;
}

function nextOf(lines: Iterator<Line>): Line {
  const { value, done } = lines.next();
  if (done) throw new SyntaxError('the end is missing');
  return value;
}

// ── Lines ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const BLOCK = 1 << 20;
const NEWLINE = 10;
const COMMA = 44;

/** Valid until the next one is asked for. */
class Line {
  readonly #block: Buffer;
  readonly #from: number;
  readonly #to: number;
  /** Where it begins in the file. */
  readonly at: number;

  /** Without the comma that follows an item. */
  constructor(block: Buffer, from: number, to: number, at: number) {
    this.#block = block;
    this.#from = from;
    this.#to = to > from && block[to - 1] === COMMA ? to - 1 : to;
    this.at = at;
  }

  get length(): number {
    return this.#to - this.#from;
  }

  is(text: string): boolean {
    return this.length === text.length && this.text() === text;
  }

  text(): string {
    return this.#block.toString('utf8', this.#from, this.#to);
  }

  /** Null where `end` is not in it. */
  textBefore(end: Buffer): string | null {
    const at = this.#block.indexOf(end, this.#from);
    return at === -1 || at >= this.#to ? null : this.#block.toString('utf8', this.#from, at);
  }
}

/** Each ends with a newline: what follows the last one is a line that was cut off, and throws. */
function* linesOf(descriptor: number): Generator<Line> {
  let block = Buffer.allocUnsafe(BLOCK);
  let at = 0;
  for (;;) {
    const read = readSync(descriptor, block, 0, block.length, at);
    if (read === 0) return;
    let from = 0;
    for (let to = block.indexOf(NEWLINE); to !== -1 && to < read; to = block.indexOf(NEWLINE, from)) {
      yield new Line(block, from, to, at + from);
      from = to + 1;
    }
    if (from === 0 && read < block.length) throw new SyntaxError('the last line has no end');
    if (from === 0) block = Buffer.allocUnsafe(block.length * 2);
    at += from;
  }
}

// ── Items ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type Item = Readonly<Record<PropertyKey, unknown>>;

/**
 * It has the properties of the item, and looks like it to every reader. A quotation mark inside a text is written with a
 * backslash, so the end of the head is never found inside a text.
 */
function lazyItem(line: Line, endOfHead: Buffer, open: OpenFile): Item {
  const head = line.textBefore(endOfHead);
  if (head === null) return JSON.parse(line.text());
  return new Proxy(new Unread(JSON.parse(`${head}}`), line, open), READ_WHEN_USED) as unknown as Item;
}

class Unread {
  readonly head: Item;
  readonly #at: number;
  readonly #length: number;
  readonly #open: OpenFile;
  #whole: Item | null = null;

  constructor(head: Item, { at, length }: Line, open: OpenFile) {
    this.head = head;
    this.#at = at;
    this.#length = length;
    this.#open = open;
  }

  whole(): Item {
    this.#whole ??= JSON.parse(this.#text()) as Item;
    return this.#whole;
  }

  #text(): string {
    const { file, descriptor } = this.#open;
    const bytes = Buffer.allocUnsafe(this.#length);
    const read = readSync(descriptor, bytes, 0, bytes.length, this.#at);
    // The other bytes are whatever the memory had before: no error may quote them.
    if (read < bytes.length)
      throw new Error(
        `${file} has become shorter since the server has started. Write it again and restart the server.`,
      );
    return bytes.toString('utf8');
  }
}

const READ_WHEN_USED: ProxyHandler<Unread> = {
  get: (item, key) => (Object.hasOwn(item.head, key) ? item.head[key] : item.whole()[key]),
  has: (item, key) => key in item.whole(),
  ownKeys: (item) => Reflect.ownKeys(item.whole()),
  getOwnPropertyDescriptor: (item, key) => Reflect.getOwnPropertyDescriptor(item.whole(), key),
  getPrototypeOf: () => Object.prototype,
  set: () => false,
  deleteProperty: () => false,
  defineProperty: () => false,
  preventExtensions: () => false,
};
