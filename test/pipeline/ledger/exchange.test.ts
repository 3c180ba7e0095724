import { join } from 'node:path';
import { expect } from 'chai';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { fetchLedgers, pushLedger } from '../../../pipeline/ledger/exchange-ledgers.ts';
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

  it('are fetched, moved on and handed back', () => {
    const [first, second] = [commit(folder), commit(folder)];
    release(openRepository(folder), 'main', first);
    const place = clone();
    expect(revisions(place)).to.deep.equal([]);
    const repository = openRepository(place);
    fetchLedgers(repository, 'origin');
    const { ledger } = release(repository, 'main', second);
    pushLedger(repository, 'origin', ledger.reference);
    expect(revisions(folder)).to.deep.equal([first, second]);
  });

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

  it('stay where they are further than those of the other repository', () => {
    const [first, second] = [commit(folder), commit(folder)];
    release(openRepository(folder), 'main', first);
    const place = clone();
    const repository = openRepository(place);
    fetchLedgers(repository, 'origin');
    release(repository, 'main', second);
    fetchLedgers(repository, 'origin');
    expect(revisions(place)).to.deep.equal([first, second]);
  });

  it('are not overwritten where two builds were made apart', () => {
    const [first, second, third] = [commit(folder), commit(folder), commit(folder)];
    release(openRepository(folder), 'main', first);
    const repository = openRepository(clone());
    fetchLedgers(repository, 'origin');
    const { ledger } = release(repository, 'main', second);
    release(openRepository(folder), 'main', third);
    const refusal = refusalOf(() => pushLedger(repository, 'origin', ledger.reference));
    expect(refusal.kind).to.equal('overtaken');
    expect(refusal.message).to.include('another build recorded a release first');
    expect(refusalOf(() => fetchLedgers(repository, 'origin'))).to.deep.equal({
      kind: 'not-exchanged',
      message:
        '`refs/kiln/releases/main` here and at `origin` have gone different ways; ' +
        "to take theirs, run `git fetch origin '+refs/kiln/releases/main:refs/kiln/releases/main'`",
    });
    expect(revisions(folder)).to.deep.equal([first, third]);
  });

  it('say that the other repository cannot be reached', () => {
    commit(folder);
    const repository = openRepository(folder);
    const refusal = refusalOf(() => fetchLedgers(repository, join(folder, 'gone')));
    expect(refusal.kind).to.equal('not-exchanged');
    expect(refusal.message).to.include('does not appear to be a git repository');
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
