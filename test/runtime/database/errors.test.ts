import { expect } from 'chai';
import { databaseErrorFrom } from '../../../runtime/query/connections/database-error-from.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../../runtime/query/database.ts';

/** A `conflict` is what contention becomes where nothing may be run again, and `busy` is the pool. */
const CODES: Readonly<Record<Exclude<DatabaseErrorKind, 'conflict' | 'busy'>, readonly string[]>> = {
  unique: ['23505'],
  'foreign-key': ['23503', '23001'],
  check: ['23514'],
  'not-null': ['23502'],
  'out-of-range': ['22003', '22008'],
  'bad-value': ['22007', '22009', '22P02', '22P05', '22021', '22023'],
  'bad-limit': ['2201W', '2201X'],
  'too-long': ['54000'],
  'too-large': ['KILN2'],
  contention: ['40001', '40P01', '55P03', '26000', '42P05'],
  timeout: ['57014'],
  unavailable: [
    ...['57P01', '57P02', '57P03', '53300', '08006', '08P01', '28P01', '28000', '3D000', '25006'],
    ...['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ],
  'other-schema': ['42P01', '42703', '42704', '3F000'],
  other: ['42601', '22012', '0A000', 'XX000'],
};

describe('errors of the database', () => {
  for (const [kind, codes] of Object.entries(CODES)) {
    it(`are ${kind} for ${codes.join(', ')}`, () => {
      for (const code of codes) {
        const cause = Object.assign(new Error('refused'), { code });
        expect(databaseErrorFrom(cause)).to.include({ kind, cause });
      }
    });
  }

  it('say where', () => {
    const cause = Object.assign(new Error('refused'), { code: '23505', constraint: 'a_key', table: 'a' });
    expect(databaseErrorFrom(cause)).to.include({ constraint: 'a_key', table: 'a', column: null });
  });

  it('are contention for a plan that is too old', () => {
    const cause = Object.assign(new Error('refused'), { code: '0A000', routine: 'RevalidateCachedQuery' });
    expect(databaseErrorFrom(cause)).to.have.property('kind', 'contention');
  });

  it('are unavailable where the driver lost the connection', () => {
    for (const message of ['Connection terminated unexpectedly', 'Client was closed and is not queryable']) {
      expect(databaseErrorFrom(new Error(message))).to.have.property('kind', 'unavailable');
    }
  });

  it('are a timeout where the driver has waited for too long', () => {
    expect(databaseErrorFrom(new Error('Query read timeout'))).to.have.property('kind', 'timeout');
  });

  it('stay what they are', () => {
    const error = new DatabaseError('timeout', {}, null);
    expect(databaseErrorFrom(error)).to.equal(error);
  });

  it('are other for whatever else is thrown', () => {
    for (const thrown of [null, 'text', 7, new TypeError('a mistake')]) {
      expect(databaseErrorFrom(thrown)).to.include({ kind: 'other', cause: thrown });
    }
  });
});
