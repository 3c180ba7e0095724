import type { Transaction } from './database.ts';

type PlainRow = Readonly<Record<string, unknown>>;

/** By the driver itself: a statement with values that nobody gives cannot be prepared. */
export function runUnprepared(transaction: Transaction, text: string): Promise<readonly PlainRow[]> {
  return new Promise((resolve, reject) => {
    transaction.session().query({ text }, (error, result) => {
      if (error) reject(error);
      else resolve((result as { readonly rows?: readonly PlainRow[] }).rows ?? []);
    });
  });
}
