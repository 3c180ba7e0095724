import { expect } from 'chai';
import { openRepository, type Repository } from '../../../pipeline/git/repository.ts';
import { readBuildFile, readBuildFiles, writeBuildFiles } from '../../../pipeline/ledger/build-files.ts';
import { commit, gitIn, newRepository, refusalOf, write } from '../git/git-repository.ts';

const REPORTS = 'refs/kiln/reports/main';
const FIRST = '1'.repeat(40);
const SECOND = '2'.repeat(40);

function opened(): { readonly folder: string; readonly repository: Repository } {
  const folder = newRepository();
  commit(folder);
  return { folder, repository: openRepository(folder) };
}

function writeAt(repository: Repository, revision: string, files: Readonly<Record<string, string>>, time = 1): void {
  writeBuildFiles(repository, 'main', { revision, time }, files);
}

describe('the files of a build', () => {
  it('are in a folder of their revision, beside those of other builds', () => {
    const { folder, repository } = opened();
    writeAt(repository, FIRST, { 'build.json': '{"first":1}\n', 'report.html': '<p>Ä</p>\n' });
    writeAt(repository, SECOND, { 'build.json': '{}\n' });
    expect(gitIn(folder, 'ls-tree', '-r', '--name-only', REPORTS).split('\n')).to.deep.equal([
      `${FIRST}/build.json`,
      `${FIRST}/report.html`,
      `${SECOND}/build.json`,
    ]);
    expect(gitIn(folder, 'show', `${REPORTS}:${FIRST}/report.html`)).to.equal('<p>Ä</p>');
    expect(gitIn(folder, 'fsck', '--strict')).to.equal('');
  });

  it('are replaced when the build is repeated, and those that are not named stay', () => {
    const { folder, repository } = opened();
    writeAt(repository, FIRST, { 'build.json': 'old', 'sbom.json': 'kept' });
    writeAt(repository, FIRST, { 'build.json': 'new' }, 2);
    expect(readBuildFile(repository, 'main', FIRST, 'build.json')).to.equal('new');
    expect(readBuildFile(repository, 'main', FIRST, 'sbom.json')).to.equal('kept');
    expect(gitIn(folder, 'log', '--format=%ct %s', REPORTS).split('\n')).to.deep.equal([
      `2 Report of ${FIRST}`,
      `1 Report of ${FIRST}`,
    ]);
  });

  it('are read for many revisions at once, without those that have none', () => {
    const { repository } = opened();
    writeAt(repository, FIRST, { 'build.json': 'one' });
    writeAt(repository, SECOND, { 'other.json': 'two' });
    expect([...readBuildFiles(repository, 'main', [SECOND, FIRST], 'build.json')]).to.deep.equal([[FIRST, 'one']]);
    expect(readBuildFile(repository, 'next', FIRST, 'build.json')).to.equal(undefined);
  });

  it('of a project in a folder are apart from those of others', () => {
    const { folder, repository } = opened();
    const inFolder = { ...repository, folder: 'apps/blog' };
    writeBuildFiles(inFolder, 'feature/x', { revision: FIRST, time: 1 }, { 'build.json': 'here' });
    expect(gitIn(folder, 'for-each-ref', '--format=%(refname)', 'refs/kiln')).to.equal(
      'refs/kiln/folders/apps%2Fblog/reports/feature%2Fx',
    );
    expect(readBuildFile(repository, 'feature/x', FIRST, 'build.json')).to.equal(undefined);
    expect(readBuildFile(inFolder, 'feature/x', FIRST, 'build.json')).to.equal('here');
  });

  it('are refused with a sentence where the reference is held', () => {
    const { folder, repository } = opened();
    write(folder, { [`.git/${REPORTS}.lock`]: '' });
    expect(refusalOf(() => writeAt(repository, FIRST, { 'build.json': '' }))).to.deep.include({ kind: 'locked' });
  });
});
