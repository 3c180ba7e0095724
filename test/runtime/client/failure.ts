import { expect } from 'chai';

/** What was thrown; the test fails where nothing was. */
export async function failureOf<E extends Error>(
  call: Promise<unknown>,
  type: abstract new (...args: never) => E,
): Promise<E> {
  try {
    await call;
  } catch (error) {
    expect(error).to.be.instanceOf(type);
    return error as E;
  }
  throw new Error('nothing was thrown');
}
