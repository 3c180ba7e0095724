/** One COPY … FROM STDIN on a connection of pg, with the socket's own backpressure. */
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** The parts of pg's protocol that its types leave out. pg is pinned for them: see `scripts/private-parts.mjs`. */
interface CopyWire {
  readonly stream: Duplex;
  query(text: string): void;
  endCopyFrom(): void;
}

/** A message of the protocol around `text`: its kind, its length, its bytes. */
export function frameOf(text: string): Buffer {
  const bytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(HEAD + bytes);
  frame[0] = COPY_DATA;
  frame.writeInt32BE(bytes + 4, 1);
  frame.write(text, HEAD, bytes, 'utf8');
  return frame;
}

const COPY_DATA = 0x64;
const HEAD = 5;

/** Resolves when Postgres has taken all the rows, and rejects with what it says of them. */
export async function copyIn(client: pg.Client, sql: string, frames: readonly Buffer[]): Promise<void> {
  const copy = new CopyQuery(sql);
  client.query(copy as unknown as pg.Submittable);
  await Promise.race([copy.isReady, copy.isDone]);
  for (const frame of frames) {
    if (copy.hasFailed) break;
    await copy.send(frame);
  }
  if (!copy.hasFailed) copy.end();
  await copy.isDone;
}

/** What pg's client asks of a query. */
class CopyQuery {
  readonly isReady: Promise<void>;
  readonly isDone: Promise<void>;
  hasFailed = false;
  readonly #sql: string;
  #wire: CopyWire | null = null;
  #begin: () => void = () => undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(sql: string) {
    this.#sql = sql;
    this.isReady = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.isDone = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Who sends looks at it only at the end.
    this.isDone.catch(() => undefined);
  }

  submit(wire: CopyWire): null {
    this.#wire = wire;
    wire.query(this.#sql);
    return null;
  }

  /** Waits where the socket has enough. */
  async send(frame: Buffer): Promise<void> {
    const stream = this.#wire?.stream;
    if (!stream || stream.write(frame)) return;
    let drained: () => void = () => undefined;
    const isDrained = new Promise<void>((resolve) => {
      drained = resolve;
      stream.once('drain', resolve);
    });
    await Promise.race([isDrained, this.isDone]).finally(() => stream.off('drain', drained));
  }

  end(): void {
    this.#wire?.endCopyFrom();
  }

  handleCopyInResponse(): void {
    this.#begin();
  }

  /** The server drops what is still on its way. pg holds the next query back until the server is ready for it. */
  handleError(error: unknown): void {
    this.hasFailed = true;
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }

  handleCommandComplete(): void {}

  handleRowDescription(): void {}

  handleDataRow(): void {}

  handleEmptyQuery(): void {}
}
