import { chownSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { commitOf } from '../../../pipeline/git/commit.ts';
import { mustBeRecent, openRepository } from '../../../pipeline/git/repository.ts';
import { isAncestor, revisionOf } from '../../../pipeline/git/revision.ts';
import { commit, gitIn, newRepository, refusalOf, temporaryFolder, write } from './git-repository.ts';

describe('a git repository', () => {
  it('is found from a folder inside a work tree, which keeps its name in the tree', () => {
    const folder = newRepository();
    write(folder, { 'apps/my blog/a.kiln': '' });
    const repository = openRepository(join(folder, 'apps/my blog'));
    expect(repository.folder).to.equal('apps/my blog');
    expect(repository.gitFolder).to.equal(join(folder, '.git'));
  });

  it('is found in a folder whose name has a line break', () => {
    const folder = newRepository('a\nb ü');
    const revision = commit(folder);
    expect(revisionOf(openRepository(folder), 'HEAD')).to.equal(revision);
  });

  it('is found where it is bare, where it is a second work tree, and behind a link', () => {
    const folder = newRepository();
    const revision = commit(folder);
    const bare = join(temporaryFolder(), 'bare.git');
    gitIn(folder, 'clone', '--quiet', '--bare', folder, bare);
    const second = join(temporaryFolder(), 'second');
    gitIn(folder, 'worktree', 'add', '--quiet', '--detach', second);
    const link = join(temporaryFolder(), 'link');
    symlinkSync(folder, link);
    for (const place of [bare, second, link]) expect(revisionOf(openRepository(place), 'HEAD')).to.equal(revision);
    expect(openRepository(second).sharedFolder).to.equal(join(folder, '.git'));
  });

  it('is the one of the folder that is named, whatever a hook says about another one', () => {
    const [folder, other] = [newRepository(), newRepository()];
    const revision = commit(folder);
    commit(other, 'Other');
    const hook = { ...process.env, GIT_DIR: join(other, '.git'), GIT_OBJECT_DIRECTORY: join(other, '.git/objects') };
    const repository = openRepository(folder, hook);
    expect(revisionOf(repository, 'HEAD')).to.equal(revision);
    expect(repository.environment).not.to.have.any.keys('GIT_DIR', 'GIT_OBJECT_DIRECTORY');
  });

  it('is the one of GIT_DIR in the folder in which the process runs', () => {
    const folder = newRepository();
    const revision = commit(folder);
    const repository = openRepository('.', { ...process.env, GIT_DIR: join(folder, '.git') });
    expect(revisionOf(repository, 'HEAD')).to.equal(revision);
  });

  it('works with hashes of 256 bits', () => {
    const folder = join(temporaryFolder(), 'long');
    mkdirSync(folder);
    gitIn(folder, 'init', '--quiet', '-b', 'main', '--object-format=sha256');
    const revision = commit(folder, 'Long');
    expect(revision).to.have.length(64);
    expect(commitOf(openRepository(folder), revisionOf(openRepository(folder), 'main')).subject).to.equal('Long');
  });

  it('refuses a folder outside of any repository, one that is not there, and a file', () => {
    const folder = temporaryFolder();
    write(folder, { file: '' });
    expect(refusalOf(() => openRepository(folder))).to.deep.equal({
      kind: 'not-a-repository',
      message: `\`${folder}\` is not in a git repository; Kiln builds what is committed: run \`git init\` and commit first`,
    });
    expect(refusalOf(() => openRepository(join(folder, 'gone'))).message).to.equal(
      `\`${join(folder, 'gone')}\` does not exist`,
    );
    expect(refusalOf(() => openRepository(join(folder, 'file'))).message).to.equal(
      `\`${join(folder, 'file')}\` is not a folder`,
    );
  });

  it('says that git is not installed, or too old', () => {
    const folder = newRepository();
    expect(refusalOf(() => openRepository(folder, { PATH: temporaryFolder() }))).to.deep.equal({
      kind: 'git-missing',
      message: 'Kiln needs the program `git`, which is not installed',
    });
    expect(refusalOf(() => mustBeRecent('git version 2.11.0'))).to.deep.equal({
      kind: 'git-too-old',
      message: 'Kiln needs git 2.20 or newer; this is git 2.11',
    });
    for (const version of ['git version 2.20.1', 'git version 2.39.5 (Apple Git-154)', 'git version 3.0']) {
      mustBeRecent(version);
    }
  });

  it('says how to trust a repository of another user', function () {
    if (process.getuid?.() !== 0) return this.skip();
    const folder = newRepository();
    for (const path of [folder, join(folder, '.git')]) chownSync(path, 65534, 65534);
    const refusal = refusalOf(() => openRepository(folder, { PATH: process.env.PATH }));
    expect(refusal.kind).to.equal('foreign-repository');
    expect(refusal.message).to.include(`git config --global --add safe.directory '${folder}'`);
    const trusted = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: folder };
    expect(openRepository(folder, { PATH: process.env.PATH, ...trusted }).gitFolder).to.equal(join(folder, '.git'));
  });
});

describe('revisions', () => {
  let folder: string;
  let first: string;
  let second: string;

  before(() => {
    folder = newRepository();
    first = commit(folder, 'First');
    gitIn(folder, 'tag', '-a', 'v1', '-m', 'One');
    second = commit(folder, 'Second\nline of the subject\n\nBody');
  });

  const open = () => openRepository(folder);

  it('are found by branch, tag, shorter hash and way back', () => {
    for (const name of ['main', 'HEAD', second, second.slice(0, 12)]) {
      expect(revisionOf(open(), name)).to.equal(second);
    }
    for (const name of ['v1', 'main~1', 'HEAD^']) expect(revisionOf(open(), name)).to.equal(first);
  });

  it('refuse names that stand for no commit', () => {
    const absent = 'f'.repeat(40);
    for (const name of ['nothing', absent, '', '--all', ':/First', 'a\nb', 'HEAD^{tree}', 'HEAD~9', 'HEAD..main']) {
      const message = `the repository has no revision \`${name}\``;
      expect(refusalOf(() => revisionOf(open(), name))).to.deep.equal({ kind: 'unknown-revision', message });
    }
  });

  it('say that there are no commits yet', () => {
    const empty = openRepository(newRepository());
    expect(refusalOf(() => revisionOf(empty, 'HEAD')).message).to.equal('the repository has no commits yet');
  });

  it('know their parents, their time and their subject', () => {
    const { parents, time, subject, message } = commitOf(open(), second);
    expect(parents).to.deep.equal([first]);
    expect(time).to.equal(Number(gitIn(folder, 'log', '-1', '--format=%ct', second)));
    expect(subject).to.equal('Second line of the subject');
    expect(message).to.equal('Second\nline of the subject\n\nBody\n');
    expect(refusalOf(() => commitOf(open(), 'f'.repeat(40))).kind).to.equal('unknown-revision');
  });

  it('read a message in another encoding', () => {
    const other = newRepository();
    const file = join(other, '.git/message');
    write(other, { '.git/message': Buffer.from('Caf\xe9\n', 'latin1') });
    gitIn(other, '-c', 'i18n.commitEncoding=ISO-8859-1', 'commit', '--quiet', '--allow-empty', '-F', file);
    expect(commitOf(openRepository(other), gitIn(other, 'rev-parse', 'HEAD')).subject).to.equal('Café');
  });

  it('know how they descend from each other', () => {
    const base = second;
    gitIn(folder, 'checkout', '--quiet', '-b', 'side');
    const side = commit(folder, 'Side');
    gitIn(folder, 'checkout', '--quiet', 'main');
    const third = commit(folder, 'Third');
    gitIn(folder, 'checkout', '--quiet', '--orphan', 'apart');
    const apart = commit(folder, 'Apart');
    expect(isAncestor(open(), base, third)).to.equal(true);
    expect(isAncestor(open(), third, third)).to.equal(true);
    expect(isAncestor(open(), side, third)).to.equal(false);
    expect(isAncestor(open(), side, apart)).to.equal(false);
  });

  it('are not replaced by what a machine has put in their place', () => {
    const other = newRepository();
    const kept = commit(other, 'Kept');
    const replacement = commit(other, 'Replacement');
    gitIn(other, 'replace', kept, replacement);
    expect(commitOf(openRepository(other), kept).subject).to.equal('Kept');
  });

  it('say in a shallow clone what is not known and what to do', () => {
    const source = newRepository();
    const old = commit(source, 'Old');
    const newest = commit(source, 'New');
    const clone = join(realpathSync(temporaryFolder()), 'clone');
    gitIn(source, 'clone', '--quiet', '--depth=1', `file://${source}`, clone);
    const repository = openRepository(clone);
    expect(repository.isShallow).to.equal(true);
    expect(revisionOf(repository, 'HEAD')).to.equal(newest);
    expect(refusalOf(() => revisionOf(repository, old))).to.deep.equal({
      kind: 'shallow',
      message:
        `this is a shallow clone, so \`${old}\` may be a commit that was left out; ` +
        'run `git fetch --unshallow`, or set `fetch-depth: 0` where a CI job checks it out',
    });
    const other = gitIn(clone, 'commit-tree', '-m', 'Other', 'HEAD^{tree}');
    expect(refusalOf(() => isAncestor(repository, other, newest)).kind).to.equal('shallow');
  });
});
