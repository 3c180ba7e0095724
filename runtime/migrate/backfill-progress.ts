/** How far a backfill has come. */
import { quotedName } from '../../compiler/definition/sql/names.ts';
import type { Session } from './session.ts';

export interface Progress {
  /** From 0 to 1. */
  readonly share: number;
  /** Null while there is nothing to tell it from. */
  readonly secondsLeft: number | null;
}

/**
 * Rows are filled in the order of their ids, so the id of the last one says how far it is. A run that goes on where
 * another one stopped begins in the middle.
 */
export class BackfillProgress {
  readonly #first: bigint;
  readonly #last: bigint;
  readonly #start = performance.now();
  #began: number | undefined;

  constructor(first: string, last: string) {
    this.#first = position(first);
    this.#last = position(last);
  }

  /** Null for a table without rows. */
  static async of({ client }: Session, table: string): Promise<BackfillProgress | null> {
    // By the column, and not by the text of it that is selected.
    const at = (order: 'ASC' | 'DESC') =>
      `(SELECT rows.id::text FROM ${quotedName(table)} AS rows ORDER BY rows.id ${order} LIMIT 1)`;
    const { rows } = await client.query<Ends>(`SELECT ${at('ASC')} AS first, ${at('DESC')} AS last`);
    const [{ first, last }] = rows as [Ends];
    return first === null || last === null ? null : new BackfillProgress(first, last);
  }

  /** With the ids of a batch that is done, in order. */
  after(ids: readonly string[], now = performance.now()): Progress | null {
    const [from, to] = [ids[0], ids.at(-1)];
    if (from === undefined || to === undefined) return null;
    this.#began ??= this.#shareOf(from);
    const share = this.#shareOf(to);
    const done = share - this.#began;
    const elapsed = (now - this.#start) / 1000;
    return { share, secondsLeft: done > 0 ? Math.round((elapsed * (1 - share)) / done) : null };
  }

  #shareOf(id: string): number {
    const all = this.#last - this.#first;
    if (all === 0n) return 1;
    const share = Number(((position(id) - this.#first) * PARTS) / all) / Number(PARTS);
    // Rows may have come since.
    return Math.min(1, Math.max(0, share));
  }
}

interface Ends {
  readonly first: string | null;
  readonly last: string | null;
}

const PARTS = 1_000_000n;

/** A number, or a UUID, whose order is that of its digits. */
function position(id: string): bigint {
  return BigInt(id.includes('-', 1) ? `0x${id.replaceAll('-', '')}` : id);
}
