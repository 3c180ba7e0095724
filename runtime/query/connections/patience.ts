import { DatabaseError } from '../database.ts';

/** How long one request still waits for connections, and for statements of others. Its waits are taken from it. */
export interface Patience {
  /** In milliseconds. */
  left: number;
}

/** Waits for others. Whoever waits for too long is told that the database is busy. */
export async function patiently(event: Promise<unknown>, patience: Patience): Promise<void> {
  const start = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(busy()), patience.left);
  });
  try {
    await Promise.race([event, tooLong]);
  } finally {
    clearTimeout(timer);
    patience.left -= performance.now() - start;
  }
}

export function busy(): DatabaseError {
  return new DatabaseError('busy', {}, new Error('other statements did not finish in time'));
}
