/** A mail or a webhook that another server has not taken. The message has no address and nothing of the content. */
export class DeliveryError extends Error {
  /** Whether it would fail in the same way again. */
  readonly isFinal: boolean;
  /** The seconds before the next try, where the other server has asked for it. */
  readonly retryAfter: number | null;
  /** Whether the receiver wants no more. */
  readonly isGone: boolean;

  constructor(message: string, how: Partial<Pick<DeliveryError, 'isFinal' | 'retryAfter' | 'isGone' | 'cause'>> = {}) {
    super(message, { cause: how.cause });
    this.name = 'DeliveryError';
    this.isFinal = how.isFinal ?? false;
    this.retryAfter = how.retryAfter ?? null;
    this.isGone = how.isGone ?? false;
  }
}
