/**
 * The end of the primary's WAL, at or after every commit that is confirmed, where replicas ask for it. The question is
 * sent in the packet of the statement or of the COMMIT, behind it: the answer costs no further round trip.
 */
import type { Row, Statement } from '../database.ts';

export const POSITION: Statement = {
  name: 'kiln_position',
  // The end of what is inserted is also right where commits do not wait for the disk.
  text: 'SELECT pg_current_wal_insert_lsn()',
  isRepeatable: true,
};

/** A position as 16 hexadecimal digits, so that its texts are in the order of the positions: `1/A0` is `00000001000000a0`. */
export function digitsFrom(lsn: string): string {
  const [high = '', low = ''] = lsn.toLowerCase().split('/');
  return high.padStart(8, '0') + low.padStart(8, '0');
}

export class WalPosition {
  #end = '';
  /** How many commits have no position of their own: at first, nothing is known. */
  #unknown = 1;
  /** How many of them were made before a position was asked for that is known. */
  #covered = 0;

  /** Null where a commit may be behind it. */
  get known(): string | null {
    return this.#covered === this.#unknown ? this.#end : null;
  }

  /** A connection was lost: it may have committed something, and the next server may have other positions. */
  forget(): void {
    this.#unknown++;
    this.#end = '';
  }

  /** Waits for the answer to a question that was sent just now. */
  async learn(answer: Promise<{ readonly rows: readonly { readonly fields: Row }[] }>): Promise<void> {
    const before = this.#unknown;
    try {
      const { rows } = await answer;
      const end = digitsFrom(rows[0]?.fields[0] ?? '');
      if (end > this.#end) this.#end = end;
      this.#covered = Math.max(this.#covered, before);
    } catch {
      this.#unknown++;
    }
  }
}
