/** Bodies of all requests that are still arriving, and how many bytes of them the server keeps. */
export class IncomingBodies {
  readonly #limit: number;
  #count = 0;
  #bytes = 0;

  /** `limit` is in bytes. A single body may be larger. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  begin(): IncomingBody {
    this.#count++;
    let own = 0;
    let isOver = false;
    return {
      add: (bytes) => {
        own += bytes;
        this.#bytes += bytes;
        return this.#count === 1 || this.#bytes <= this.#limit;
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        this.#count--;
        this.#bytes -= own;
      },
    };
  }
}

export interface IncomingBody {
  /** False where there is no room for so many bytes more. */
  add(bytes: number): boolean;
  end(): void;
}
