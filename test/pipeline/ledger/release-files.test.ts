import { expect } from 'chai';
import { isOfNewerKiln, releaseFromText } from '../../../pipeline/ledger/release-files.ts';

describe('the migration of a recorded release', () => {
  const known = { kind: 'transaction', statements: [] };
  const unknown = { kind: 'partition', statements: [] };

  /** With this step at one of the places where a release has steps. */
  const places: Readonly<Record<string, (step: unknown) => object>> = {
    'the steps': (step) => ({ steps: [known, step] }),
    'the contraction': (step) => ({ contract: [step] }),
    'the way around a withdrawn release': (step) => ({ withdraws: [{ ...withdrawal, steps: [step] }] }),
    'the contraction of that way': (step) => ({ withdraws: [{ ...withdrawal, contract: [step] }] }),
    'what undoes a withdrawn release': (step) => ({
      withdraws: [{ ...withdrawal, undo: [{ revision: 'b', steps: [{ steps: [known] }, { steps: [step] }] }] }],
    }),
  };
  const withdrawal = { revision: 'b', beside: 'f', steps: [], contract: [], undo: [] };

  for (const [place, release] of Object.entries(places)) {
    const text = (step: unknown) =>
      JSON.stringify({ revision: 'a', fingerprint: 'f', beside: 'f', steps: [], contract: [], ...release(step) });

    it(`is known to be of a newer Kiln by a step of another kind in ${place}`, () => {
      expect(releaseFromText(text(unknown))).to.equal(undefined);
      expect(isOfNewerKiln(text(unknown))).to.equal(true);
    });

    it(`is read with a known step in ${place}`, () => {
      expect(releaseFromText(text(known))).to.deep.equal(JSON.parse(text(known)));
      expect(isOfNewerKiln(text(known))).to.equal(false);
    });

    it(`is neither with something else in ${place}`, () => {
      expect(releaseFromText(text(null))).to.equal(undefined);
      expect(isOfNewerKiln(text(null))).to.equal(false);
    });
  }

  it('is neither where it is no release at all', () => {
    for (const text of ['', '[]', '1', 'null', '{"steps":1}', '{"withdraws":[null,1],"steps":[]}']) {
      expect(releaseFromText(text)).to.equal(undefined);
      expect(isOfNewerKiln(text)).to.equal(false);
    }
  });
});
