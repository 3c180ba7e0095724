import { expect } from 'chai';
import type { Hazard, MigrationStep } from '../../../compiler/definition/migration.ts';
import { turnsOf } from '../../../runtime/migrate/turns.ts';

function step(says: string, ...hazards: readonly Hazard[]): MigrationStep {
  return { kind: 'transaction', statements: [{ sql: '', says, hazards }] };
}

const LOOK = step('look', { kind: 'scan', table: 'post', blocks: 'nothing' }, { kind: 'may-fail', why: 'rows' });
const DROP = step('drop', { kind: 'lock', table: 'post', mode: 'ACCESS EXCLUSIVE' });
const TRY = step('try', { kind: 'lock', table: 'post', mode: 'SHARE' }, { kind: 'may-fail', why: 'rows' });

describe('the steps that are carried out together', () => {
  /** What they say, and how many are done then. */
  function said(steps: readonly MigrationStep[], stepsDone: number, phase?: 'withdraw'): readonly unknown[] {
    const turns = turnsOf(steps, stepsDone, phase);
    return turns.map(({ step: { kind, ...own }, done }) => [
      'statements' in own ? own.statements.map(({ says }) => says).join(', ') : kind,
      done,
    ]);
  }

  it('are, in a withdrawal, those that only look and the one after them', () => {
    expect(said([DROP, LOOK, LOOK, DROP, TRY, DROP, LOOK], 0, 'withdraw')).to.deep.equal([
      ['drop', 1],
      ['look, look, drop', 4],
      ['try', 5],
      ['drop', 6],
      ['look', 7],
    ]);
  });

  it('are only those that a run before has left', () => {
    expect(said([LOOK, DROP, LOOK, DROP], 2, 'withdraw')).to.deep.equal([['look, drop', 4]]);
  });

  it('are not more than one on the way to a release', () => {
    expect(said([LOOK, DROP], 0)).to.deep.equal([
      ['look', 1],
      ['drop', 2],
    ]);
  });
});
