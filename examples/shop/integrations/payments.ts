import { createHash } from 'node:crypto';

interface OpenPaymentArgs {
  readonly order_id: string;
  readonly total: string;
}

interface Context {
  /** The same each time that the customer repeats the request with its key. */
  readonly call: { readonly id: string };
  readonly log: { info(details: object, message: string): void };
}

/**
 * Stands in for a payment provider. Like a real one it knows an order again: the same order gets the same reference, so
 * that a repeated request cannot charge twice.
 */
export async function openPayment({ order_id, total }: OpenPaymentArgs, { call, log }: Context): Promise<string> {
  if (Number(total) <= 0) throw { status: 422, message: 'An order without a price cannot be paid.' };
  const reference = uuidFrom(order_id);
  log.info({ order: order_id, key: call.id, reference }, 'payment opened');
  return reference;
}

function uuidFrom(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
