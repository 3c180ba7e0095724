import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Listener } from './pipelined-requests.ts';

/** Requests pass through it to the listener. While it is shut they wait, and pass when it is opened again. */
export class RequestGate {
  readonly #listener: Listener;
  #waiting: (readonly [IncomingMessage, ServerResponse])[] | null = null;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  readonly receive: Listener = (request, response) => {
    if (this.#waiting === null) this.#listener(request, response);
    else this.#waiting.push([request, response]);
  };

  shut(): void {
    this.#waiting ??= [];
  }

  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const [request, response] of waiting) this.#listener(request, response);
  }
}
