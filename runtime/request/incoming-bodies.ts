/** Up to so many bytes a body counts for nothing: a few slow bodies that are large must not shut out all the others. */
export const SMALL_BODY = 64 * 1024;

/** Large bodies of all requests that are still arriving, and how many bytes of them the server keeps. */
export class IncomingBodies {
  readonly #limit: number;
  #count = 0;
  #bytes = 0;

  /** `limit` is in bytes. A single body may be larger. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  begin(): IncomingBody {
    let own = 0;
    let isOver = false;
    return {
      add: (bytes) => {
        const wasLarge = own > SMALL_BODY;
        own += bytes;
        if (own <= SMALL_BODY) return true;
        if (!wasLarge) this.#count++;
        this.#bytes += wasLarge ? bytes : own;
        return this.#count === 1 || this.#bytes <= this.#limit;
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        if (own <= SMALL_BODY) return;
        this.#count--;
        this.#bytes -= own;
      },
    };
  }
}

interface IncomingBody {
  /** False where there is no room for so many bytes more. */
  add(bytes: number): boolean;
  end(): void;
}
