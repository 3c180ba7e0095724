/**
 * JSON as bytes, written from its beginning to its end into one buffer. Texts come from rows in UTF-8 and stay in it:
 * only what JSON escapes is changed, to the same bytes that `JSON.stringify` would give.
 *
 * Bytes are looked at and copied in words of four, which is several times as fast as one by one. The numbers in the
 * inner loops stand there without names: the engine would look a name up each time.
 */
import { Buffer } from 'node:buffer';
import type { Chunk } from './data-row.ts';

/** The longest escape is `\u001f`. */
const ESCAPE_SIZE = 6;
/** The length from which on a copy by the engine is faster than a loop. */
const LONG = 256;

/** Bytes of ours, such as names and brackets, with padding so that they can be read in words. */
export class Piece {
  readonly view: DataView;
  readonly length: number;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    this.length = bytes.length;
    this.view = viewOf(Buffer.concat([bytes, Buffer.alloc(4)]));
  }
}

export class JsonBytes {
  #bytes: Buffer;
  #view: DataView;
  #length = 0;
  #capacity: number;

  /** `expected` is how long it will probably be. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected);
    this.#view = viewOf(this.#bytes);
    this.#capacity = expected;
  }

  get length(): number {
    return this.#length;
  }

  byte(code: number): void {
    this.#reserve(1);
    this.#view.setUint8(this.#length++, code);
  }

  piece({ view, length }: Piece): void {
    this.#reserve(length + 4);
    const target = this.#view;
    const to = this.#length;
    for (let at = 0; at < length; at += 4) target.setInt32(to + at, view.getInt32(at, true), true);
    this.#length = to + length;
  }

  /** Writes JSON that exists already. */
  json(text: string): void {
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  /** Copies bytes of a row as they are. */
  copy({ bytes, view }: Chunk, start: number, end: number): void {
    this.#reserve(end - start);
    if (end - start < LONG) this.#copyShort(view, start, end);
    else bytes.copy(this.#bytes, this.#length, start, end);
    this.#length += end - start;
  }

  /** Writes bytes of a row as a JSON string. */
  text({ view }: Chunk, start: number, end: number): void {
    this.#reserve(end - start + 2);
    this.#view.setUint8(this.#length++, 0x22);
    let at = start;
    for (;;) {
      at = this.#copyPlain(view, at, end);
      if (at === end) break;
      this.#reserve(end - at + ESCAPE_SIZE + 1);
      this.#escape(view.getUint8(at++));
    }
    this.#view.setUint8(this.#length++, 0x22);
  }

  /** Ends the writing, and returns the buffer. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #copyShort(view: DataView, start: number, end: number): void {
    const target = this.#view;
    let at = start;
    let to = this.#length;
    for (; at + 4 <= end; at += 4, to += 4) target.setInt32(to, view.getInt32(at, true), true);
    for (; at < end; at++, to++) target.setUint8(to, view.getUint8(at));
  }

  /**
   * Copies bytes up to the first one that must be escaped, and returns its place. The buffer is large enough for all of
   * them.
   */
  #copyPlain(view: DataView, start: number, end: number): number {
    const target = this.#view;
    let at = start;
    let to = this.#length;
    for (; at + 8 <= end; at += 8, to += 8) {
      const four = view.getInt32(at, true);
      const more = view.getInt32(at + 4, true);
      if ((toEscape(four) | toEscape(more)) !== 0) break;
      target.setInt32(to, four, true);
      target.setInt32(to + 4, more, true);
    }
    for (; at + 4 <= end; at += 4, to += 4) {
      const four = view.getInt32(at, true);
      if (toEscape(four) !== 0) break;
      target.setInt32(to, four, true);
    }
    for (; at < end; at++, to++) {
      const code = view.getUint8(at);
      if (code < 0x20 || code === 0x22 || code === 0x5c) break;
      target.setUint8(to, code);
    }
    this.#length = to;
    return at;
  }

  #escape(code: number): void {
    const escaped = ESCAPES[code] as Uint8Array;
    this.#bytes.set(escaped, this.#length);
    this.#length += escaped.length;
  }

  #reserve(more: number): void {
    if (this.#length + more > this.#capacity) this.#grow(more);
  }

  #grow(more: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#length + more, this.#bytes.length + (this.#bytes.length >> 1)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = viewOf(larger);
    this.#capacity = larger.length;
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * Finds bytes to escape: the result is not 0 if one of four bytes is a quote, a backslash or below a space. For a byte
 * below 0x80, the highest bit is set in `x - n` where `x` is less than `n`. A byte is equal to another where the
 * exclusive or of both is less than 1. The last number is 0x80808080 in 32 bits.
 */
function toEscape(four: number): number {
  const quote = (four ^ 0x22222222) - 0x01010101;
  const backslash = (four ^ 0x5c5c5c5c) - 0x01010101;
  return ((four - 0x20202020) | quote | backslash) & ~four & -0x7f7f7f80;
}

/** The escapes by code, as `JSON.stringify` has them. */
const ESCAPES: readonly Uint8Array[] = Array.from({ length: 0x5c + 1 }, (_, code) =>
  Buffer.from(JSON.stringify(String.fromCharCode(code)).slice(1, -1)),
);
