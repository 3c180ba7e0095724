import { expect } from 'chai';
import { trailersBetween } from '../../../pipeline/git/commit.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { commit, newRepository } from './git-repository.ts';

describe('the trailers of commits', () => {
  it('are those after a commit, oldest first, by the rules of git', () => {
    const folder = newRepository();
    const first = commit(folder, 'One\n\nBreaking: before');
    commit(folder, 'Two\n\nBreaking: not a trailer, since a paragraph follows\n\nMore words');
    commit(folder, 'Three\n\nReviewed-by: Ann\nbreaking: a reason that\n  goes on\nBreaking:');
    const last = commit(folder, 'Four\n\nBreaking: the last: with a colon');
    const trailers = (from: string | null) => trailersBetween(openRepository(folder), from, last)('Breaking');
    expect(trailers(first)).to.deep.equal(['a reason that goes on', 'the last: with a colon']);
    expect(trailers(last)).to.deep.equal([]);
  });

  it('are those of the commit alone where the one before is not here', () => {
    const folder = newRepository();
    commit(folder, 'One\n\nBreaking: before');
    const last = commit(folder, 'Two\n\nBreaking: now');
    const gone = '0123456789'.repeat(4);
    expect(trailersBetween(openRepository(folder), gone, last)('Breaking')).to.deep.equal(['now']);
  });
});
