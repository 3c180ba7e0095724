import { expect } from 'chai';
import { until } from './until.ts';

describe('until', () => {
  it('ends when it is so', async () => {
    let asked = 0;
    await until(async () => ++asked === 3);
    expect(asked).to.equal(3);
  });

  it('says what it has waited for, and what else is known', async () => {
    const never = false;
    const failure = await until(() => never, { limit: 10, otherwise: () => 'the log' }).catch((error: Error) => error);
    expect(String(failure)).to.match(/^Error: waited 10 ms in vain until \(\) ?=> ?never\nthe log$/);
  });
});
