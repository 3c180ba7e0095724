import { join } from 'node:path';
import { expect } from 'chai';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { chainOf, readLedger } from '../../../pipeline/ledger/ledger.ts';
import { commit, gitIn, newRepository, refusalOf, temporaryFolder } from '../git/git-repository.ts';
import { release } from './releases.ts';

describe('ledgers between clones', () => {
  let folder: string;

  beforeEach(() => {
    folder = newRepository();
  });

  function clone(...words: readonly string[]): string {
    const place = join(temporaryFolder(), 'clone');
    gitIn(folder, 'clone', '--quiet', ...words, `file://${folder}`, place);
    return place;
  }

  const revisions = (place: string) =>
    chainOf(readLedger(openRepository(place), 'main')).map(({ revision }) => revision);

  it('are fetched and pushed by git alone, by what the guide says', () => {
    const first = commit(folder);
    release(openRepository(folder), 'main', first);
    const place = clone();
    gitIn(place, 'fetch', '--quiet', 'origin', 'refs/kiln/*:refs/kiln/*');
    const second = commit(place);
    release(openRepository(place), 'main', second);
    gitIn(place, 'push', '--quiet', 'origin', 'HEAD:refs/heads/next', 'refs/kiln/*:refs/kiln/*');
    expect(revisions(folder)).to.deep.equal([first, second]);
  });

  it('are not overwritten where two builds were made apart', () => {
    const [first, second, third] = [commit(folder), commit(folder), commit(folder)];
    release(openRepository(folder), 'main', first);
    const place = clone();
    gitIn(place, 'fetch', '--quiet', 'origin', 'refs/kiln/*:refs/kiln/*');
    release(openRepository(place), 'main', second);
    release(openRepository(folder), 'main', third);
    expect(() => gitIn(place, 'push', '--quiet', 'origin', 'refs/kiln/*:refs/kiln/*')).to.throw('rejected');
    expect(() => gitIn(place, 'fetch', 'origin', 'refs/kiln/*:refs/kiln/*')).to.throw('rejected');
    expect(revisions(folder)).to.deep.equal([first, third]);
    expect(revisions(place)).to.deep.equal([first, second]);
  });

  it('say in a clone whose ledger was cut what to do', () => {
    const [first, second] = [commit(folder), commit(folder)];
    for (const revision of [first, second]) release(openRepository(folder), 'main', revision);
    const place = clone('--depth=1');
    gitIn(place, 'fetch', '--quiet', '--depth=1', 'origin', 'refs/kiln/*:refs/kiln/*');
    const refusal = refusalOf(() => readLedger(openRepository(place), 'main'));
    expect(refusal.kind).to.equal('shallow');
    expect(refusal.message).to.include('older releases are not known');
  });
});
