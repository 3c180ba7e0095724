/** The last requests, oldest first. Their number is bounded, and so is what they take in memory. */
import type { LiveDetails, LiveRequest } from './live-request.ts';

export interface RingLimits {
  readonly requests: number;
  /** Of all requests together, as JSON. */
  readonly bytes: number;
}

export class RequestRing {
  readonly #limits: RingLimits;
  /** In the order in which they were added. */
  readonly #kept = new Map<number, { readonly details: LiveDetails; readonly bytes: number }>();
  #bytes = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  add(details: LiveDetails): void {
    const bytes = JSON.stringify(details).length;
    this.#kept.set(details.id, { details, bytes });
    this.#bytes += bytes;
    for (const [id, oldest] of this.#kept) {
      if (this.#kept.size <= this.#limits.requests && this.#bytes <= this.#limits.bytes) return;
      this.#kept.delete(id);
      this.#bytes -= oldest.bytes;
    }
  }

  /** Undefined where it is too old. */
  get(id: number): LiveDetails | undefined {
    return this.#kept.get(id)?.details;
  }

  get summaries(): readonly LiveRequest[] {
    return [...this.#kept.values()].map(({ details }) => summaryOf(details));
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

export function summaryOf(details: LiveDetails): LiveRequest {
  const {
    texts: _texts,
    runs: _runs,
    dropped: _dropped,
    transactions: _transactions,
    logs: _logs,
    error: _error,
    ...summary
  } = details;
  return summary;
}
