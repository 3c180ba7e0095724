/**
 * Those who wait, in the order in which they came. Anybody may leave, and most do so near the front.
 *
 * It is no `Map` and no `Set`. When one of these gets a new table, V8 leaves the entries in the old table and links it to the
 * new one. Once a table is in the old generation, later tables and their entries follow it there, and so does what the
 * entries hold: requests that have waited. They are freed only when all of the old generation is collected.
 */
import { Queue } from './queue.ts';

/** Null where nobody waits there any more. */
export interface Place<T> {
  item: T | null;
}

export class WaitingLine<T> {
  readonly #places = new Queue<Place<T>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  join(item: T): Place<T> {
    const place: Place<T> = { item };
    this.#places.push(place);
    this.#length++;
    return place;
  }

  /** Whoever has left already, or was the next one, may leave again. */
  leave(place: Place<T>): void {
    if (place.item === null) return;
    place.item = null;
    this.#length--;
    while (this.#places.first?.item === null) this.#places.shift();
  }

  /** Takes the first one out. */
  next(): T | null {
    const item = this.#places.first?.item ?? null;
    if (this.#places.first) this.leave(this.#places.first);
    return item;
  }
}
