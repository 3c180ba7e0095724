/**
 * How long an answer takes that costs the server nothing, in milliseconds: the shortest that any connection has seen. A
 * connection that is opened on a busy server measures too much, and would take slow statements for quick ones.
 */
export class RoundTrip {
  #shortest: number;
  #losses = 0;

  constructor(shortest = Number.POSITIVE_INFINITY) {
    this.#shortest = shortest;
  }

  get shortest(): number {
    return this.#shortest;
  }

  /** After a lost connection the server may be another one that is further away, so what was known is forgotten. */
  restart(time: number, losses: number): void {
    this.#shortest = losses === this.#losses ? Math.min(this.#shortest, time) : time;
    this.#losses = losses;
  }

  learn(time: number): void {
    if (time < this.#shortest) this.#shortest = time;
  }
}
