import type { Buffer } from 'node:buffer';
import type { DataRow } from './data-row.ts';

const COMMA = ','.charCodeAt(0);
const BRACE = 1;

/**
 * Very many ids, as the bytes in which Postgres has sent an array of them: `{3,1,2}`. An id is an integer or a UUID, so no comma
 * is part of one, and nothing is quoted. Ids are taken from the front.
 */
export class IdList {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  /** In bytes. */
  readonly size: number;

  /** `field` of the row is the array. */
  constructor(row: DataRow, field: number) {
    this.#at = row.find(field) + BRACE;
    this.#end = row.end - BRACE;
    this.#bytes = row.chunk.bytes;
    this.size = this.#bytes.length;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#end;
  }

  /** The next ones, at most so many, as the text of an array. */
  take(count: number): string {
    let end = this.#at - 1;
    for (let taken = 0; taken < count && end < this.#end; taken++) end = this.#endOfId(end + 1);
    const ids = this.#bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return `{${ids}}`;
  }

  #endOfId(start: number): number {
    const comma = this.#bytes.indexOf(COMMA, start);
    return comma < 0 || comma > this.#end ? this.#end : comma;
  }
}
