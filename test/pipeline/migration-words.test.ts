import { expect } from 'chai';
import type { Hazard, MigrationStep, Release } from '../../compiler/definition/migration.ts';
import { migrationWords } from '../../pipeline/bake/compared-releases.ts';

const FIRST: Release = { revision: 'one', fingerprint: '1', steps: [] };

function transaction(...hazards: readonly Hazard[]): MigrationStep {
  return { kind: 'transaction', statements: [{ sql: 'SELECT 1', says: 'do something', hazards }] };
}

function release(more: Partial<Release>): Release {
  return { revision: 'next', fingerprint: '2', steps: [], ...more };
}

function lock(table: string, mode: Extract<Hazard, { kind: 'lock' }>['mode'] = 'ACCESS EXCLUSIVE'): Hazard {
  return { kind: 'lock', table, mode };
}

describe('the words about a migration', () => {
  it('are none for the first release, whose database nobody uses yet', () => {
    expect(migrationWords([FIRST])).to.deep.equal([]);
  });

  it('have a line for each kind of hazard and table, with the strongest lock', () => {
    const steps = [
      transaction(lock('post', 'SHARE ROW EXCLUSIVE'), lock('author', 'SHARE ROW EXCLUSIVE')),
      transaction(lock('post'), lock('post'), lock('tag', 'SHARE UPDATE EXCLUSIVE')),
      transaction(
        { kind: 'scan', table: 'post', blocks: 'nothing' },
        { kind: 'scan', table: 'post', blocks: 'writes' },
      ),
      transaction(
        { kind: 'scan', table: 'tag', blocks: 'nothing' },
        { kind: 'may-fail', why: 'rows may be in the way' },
      ),
    ];
    expect(migrationWords([FIRST, release({ steps, beside: '1' })])).to.deep.equal([
      'locks "post": reads and writes wait for a moment',
      'locks "author": writes wait for a moment',
      'scans "post": writes wait until it is done',
      'scans "tag": nothing waits',
      'may fail: rows may be in the way',
      'safe beside release 1: yes',
    ]);
  });

  it('do not say that a table which is rewritten is locked for a moment', () => {
    const steps = [transaction(lock('post'), { kind: 'rewrite', table: 'post' })];
    expect(migrationWords([FIRST, release({ steps, beside: '1' })])[0]).to.equal(
      'rewrites "post": reads and writes wait until it is done',
    );
  });

  it('say what is deleted now, and what later, when the previous release is no longer served', () => {
    const loss: Hazard = { kind: 'data-loss', what: 'the table "tag" with its rows' };
    const contract = [transaction(loss), transaction(lock('post')), transaction(lock('author'))];
    expect(migrationWords([FIRST, release({ steps: [transaction(loss)], beside: '1', contract })])).to.deep.equal([
      'deletes the table "tag" with its rows',
      'safe beside release 1: yes',
      'later, when release 1 is no longer served: delete the table "tag" with its rows',
      'later, when release 1 is no longer served: remove what only release 1 needs',
    ]);
  });
});
