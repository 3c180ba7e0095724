/**
 * One browser that reads the stream. Events are written as fast as it takes them; while it takes none they wait, and the
 * oldest are dropped when too many wait. Then it is told how many.
 */
import type { Writable } from 'node:stream';
import type { LiveEvent } from './live-event.ts';

/** How many events may wait. */
const MOST_WAITING = 500;

export class LiveReader {
  readonly #output: Writable;
  #waiting: LiveEvent[] = [];
  #lost = 0;
  #isFull = false;

  constructor(output: Writable) {
    this.#output = output;
    output.on('drain', () => this.#flush());
  }

  send(event: LiveEvent): void {
    if (this.#isFull) this.#keep(event);
    else this.#write(event);
  }

  /** Waits for nothing. */
  end(): void {
    this.#output.end();
  }

  #keep(event: LiveEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length <= MOST_WAITING) return;
    this.#waiting.shift();
    this.#lost++;
  }

  #flush(): void {
    this.#isFull = false;
    const lost = this.#lost;
    const waiting = this.#waiting;
    this.#lost = 0;
    this.#waiting = [];
    if (lost > 0) this.#write({ kind: 'lost', count: lost });
    for (const event of waiting) this.send(event);
  }

  #write(event: LiveEvent): void {
    if (!this.#output.writable) return;
    this.#isFull = !this.#output.write(`${JSON.stringify(event)}\n`);
  }
}
