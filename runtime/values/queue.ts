/**
 * A queue in constant time: `shift` of a long array moves all that is left of it. It has as much of an array as pg
 * needs of its queues.
 */
export class Queue<T> {
  /** Its length is a power of two. */
  #ring: (T | undefined)[] = new Array(16);
  #first = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** pg empties a queue by setting its length to 0. */
  set length(length: number) {
    while (this.#length > length) this.#ring[this.#place(--this.#length)] = undefined;
  }

  /** The item that `shift` would take. */
  get first(): T | undefined {
    return this.#length === 0 ? undefined : this.#ring[this.#first];
  }

  push(item: T): void {
    if (this.#length === this.#ring.length) this.#grow();
    this.#ring[this.#place(this.#length++)] = item;
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#ring[this.#first];
    this.#ring[this.#first] = undefined;
    this.#first = this.#place(1);
    this.#length--;
    return item;
  }

  forEach(use: (item: T) => void): void {
    for (const item of this.#items()) use(item);
  }

  indexOf(item: T): number {
    return this.#items().indexOf(item);
  }

  splice(start: number, count: number): void {
    const items = this.#items();
    items.splice(start, count);
    this.length = 0;
    for (const item of items) this.push(item);
  }

  #place(at: number): number {
    return (this.#first + at) & (this.#ring.length - 1);
  }

  #items(): T[] {
    return Array.from({ length: this.#length }, (_, at) => this.#ring[this.#place(at)] as T);
  }

  #grow(): void {
    const items: (T | undefined)[] = this.#items();
    this.#first = 0;
    this.#ring = items.concat(new Array(items.length));
  }
}
