import { createHook } from 'node:async_hooks';

/** How often scrypt was started meanwhile. */
export async function watched<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly scrypts: number }> {
  let scrypts = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'SCRYPTREQUEST') scrypts++;
    },
  }).enable();
  try {
    return { result: await work(), scrypts };
  } finally {
    hook.disable();
  }
}
