/** What is read is the same as what git says. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { trailersBetween } from '../../../pipeline/git/commit.ts';
import { readObjects, readSmallBlobs, treeAt } from '../../../pipeline/git/objects.ts';
import { openRepository, type Repository } from '../../../pipeline/git/repository.ts';
import { currentBranch, revisionOf } from '../../../pipeline/git/revision.ts';
import { readLedger } from '../../../pipeline/ledger/ledger.ts';
import { release } from '../ledger/releases.ts';
import { commit, gitIn, newRepository, refusalOf, write } from './git-repository.ts';

/** Whoever starts git in it is told that there is none. */
function withoutGit(folder: string): Repository {
  const repository = openRepository(folder);
  return { ...repository, environment: { ...repository.environment, PATH: '/nonexistent' } };
}

describe('in a repository', () => {
  it('the checked out branch and its commit are found', () => {
    const folder = newRepository();
    const revision = commit(folder);
    expect(currentBranch(openRepository(folder))).to.equal('main');
    expect(revisionOf(openRepository(folder), 'HEAD')).to.equal(revision);
    gitIn(folder, 'checkout', '--quiet', '-b', 'feature/x');
    expect(currentBranch(openRepository(folder))).to.equal('feature/x');
  });

  it('git is asked where it keeps them otherwise', () => {
    const folder = newRepository();
    const revision = commit(folder);
    gitIn(folder, 'pack-refs', '--all');
    expect(revisionOf(openRepository(folder), 'HEAD')).to.equal(revision);
    expect(refusalOf(() => revisionOf(withoutGit(folder), 'HEAD')).kind).to.equal('git-missing');
    gitIn(folder, 'checkout', '--quiet', '--detach');
    expect(revisionOf(openRepository(folder), 'HEAD')).to.equal(revision);
    expect(currentBranch(openRepository(folder), { CI_COMMIT_BRANCH: 'side' })).to.equal('side');
    gitIn(folder, 'symbolic-ref', 'HEAD', 'refs/heads/none');
    expect(refusalOf(() => revisionOf(openRepository(folder), 'HEAD')).kind).to.equal('unknown-revision');
  });

  it('a branch has its own name, also where a tag is called the same', () => {
    const folder = newRepository();
    commit(folder);
    gitIn(folder, 'tag', 'main');
    expect(currentBranch(openRepository(folder))).to.equal('main');
  });

  it('the files of a commit are those that git lists', () => {
    const folder = newRepository();
    write(folder, { 'a/b/c.kiln': '1', 'a.txt': '2', 'a-b/x': '3', 'ü/"q"': '4', 'z z': '5' });
    const revision = commit(folder);
    const loose = treeAt(openRepository(folder), revision);
    expect(treeAt(openRepository(folder), revision, 'a')).to.have.length(1);
    gitIn(folder, 'gc', '--quiet');
    expect(treeAt(openRepository(folder), revision)).to.deep.equal(loose);
    expect(loose?.map(({ path }) => path)).to.deep.equal(['a-b/x', 'a.txt', 'a/b/c.kiln', 'z z', 'ü/"q"']);
  });

  it('a file is read, however large it is and however far it is compressed', () => {
    const folder = newRepository();
    const uneven = Array.from({ length: 9000 }, (_, at) => createHash('sha1').update(`${at}`).digest('hex')).join('');
    const texts: Record<string, string> = { empty: '', small: 'x', even: 'x'.repeat(9_000_000), uneven };
    write(folder, texts);
    const revision = commit(folder);
    const repository = openRepository(folder);
    for (const [name, text] of Object.entries(texts)) {
      const [object] = readObjects(repository, [`${revision}:${name}`]);
      expect(object?.content.toString('utf8') === text, name).to.equal(true);
    }
  });

  it('git itself reads a tree that is not as git writes it', () => {
    const folder = newRepository();
    write(folder, { file: '' });
    commit(folder);
    const blob = gitIn(folder, 'rev-parse', 'HEAD:file');
    const id = Buffer.from(blob, 'hex');
    const old = forgedCommit(folder, Buffer.concat([Buffer.from('100664 file\0'), id]));
    expect(treeAt(openRepository(folder), old)?.map(({ mode }) => mode)).to.deep.equal(['100644']);
    const bytes = Buffer.concat([Buffer.from([...Buffer.from('100644 '), 0xff, 0]), id]);
    expect(treeAt(openRepository(folder), forgedCommit(folder, bytes))).to.have.length(1);
    for (const cut of [bytes.subarray(0, -1), bytes.subarray(0, 8)]) {
      const revision = forgedCommit(folder, cut);
      expect(refusalOf(() => treeAt(openRepository(folder), revision)).message).to.match(/^git cannot list the files/);
    }
  });

  it('a name that is no line and a file that is not wanted do not confuse it', () => {
    const folder = newRepository();
    write(folder, { large: 'x'.repeat(200_000), 'small.txt': 'small' });
    const repository = openRepository(folder);
    const revision = commit(folder);
    const [large, small] = ['large', 'small.txt'].map((path) => ({ id: gitIn(folder, 'rev-parse', `HEAD:${path}`) }));
    expect(readObjects(repository, [`${revision}:a\nb`, 'none'])).to.deep.equal([undefined, undefined]);
    const read = readSmallBlobs(repository, [large, small] as { id: string }[], 10);
    expect([...read.sizes.values()]).to.deep.equal([200_000, 5]);
    expect([...read.contents.values()].map(String)).to.deep.equal(['small']);
  });

  it('commits that do not have the word of a trailer have no such trailer', () => {
    const folder = newRepository();
    const first = commit(folder);
    const second = commit(folder, 'Two\n\nReviewed-by: Ann');
    expect(trailersBetween(openRepository(folder), first, second)('Breaking')).to.deep.equal([]);
    const third = commit(folder, 'Three\n\nBREAKING: a reason');
    expect(trailersBetween(openRepository(folder), first, third)('Breaking')).to.deep.equal(['a reason']);
    const merged = gitIn(folder, 'commit-tree', '-m', 'Merge', '-p', second, '-p', third, 'HEAD^{tree}');
    expect(trailersBetween(openRepository(folder), second, merged)('Breaking')).to.deep.equal(['a reason']);
  });

  it('a ledger is read', () => {
    const folder = newRepository();
    const revisions = [commit(folder), commit(folder)];
    for (const revision of revisions) release(openRepository(folder), 'main', revision);
    const loose = readLedger(openRepository(folder), 'main');
    expect(loose.releases.map((each) => each.release.revision)).to.deep.equal(revisions);
    gitIn(folder, 'gc', '--quiet');
    expect(readLedger(openRepository(folder), 'main')).to.deep.equal(loose);
  });
});

function forgedCommit(folder: string, tree: Buffer): string {
  write(folder, { '.git/forged': tree });
  const id = gitIn(folder, 'hash-object', '-t', 'tree', '--literally', '-w', '.git/forged');
  return gitIn(folder, 'commit-tree', '-m', 'Forged', id);
}
