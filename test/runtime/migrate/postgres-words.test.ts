import { expect } from 'chai';
import { postgresWords } from '../../../runtime/migrate/refusal.ts';

describe('what Postgres says about a refusal', () => {
  it('comes with what to do where there are more locks than it has room for', () => {
    // To bring it about would take the locks of the tests that run beside this one.
    const error = Object.assign(new Error('out of shared memory'), { code: '53200' });
    expect(postgresWords(error).message).to.match(
      /^out of shared memory \(SQLSTATE 53200\); .*max_locks_per_transaction/,
    );
  });
});
