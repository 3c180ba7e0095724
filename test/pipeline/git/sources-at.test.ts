import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { compile } from '../../../compiler/compile.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { readSources } from '../../../files/read-sources.ts';
import { treeAt } from '../../../pipeline/git/objects.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { sourcesAt } from '../../../pipeline/git/sources-at.ts';
import { commit, gitIn, newRepository, refusalOf, temporaryFolder, write } from './git-repository.ts';

describe('sources at a revision', () => {
  let folder: string;

  beforeEach(() => {
    folder = newRepository();
  });

  const at = (revision: string, below?: string) => sourcesAt(openRepository(folder), revision, below);
  const link = (target: string, path: string) => symlinkSync(target, join(folder, path));

  /** What the disk and the revision say about the same files. */
  function both() {
    const fromDisk = readSources(folder);
    const fromGit = at(commit(folder));
    return { disk: shown(fromDisk), git: shown(fromGit) };
  }

  function shown({ sources, problems }: Pick<ReturnType<typeof readSources>, 'sources' | 'problems'>) {
    return { sources, problems: problems.map(({ kind, path, message }) => ({ kind, path, message })) };
  }

  it('are those of the revision, whatever the work tree has', () => {
    write(folder, { 'a.kiln': 'old', 'gone.kiln': 'gone' });
    const old = commit(folder);
    rmSync(join(folder, 'gone.kiln'));
    write(folder, { 'a.kiln': 'new' });
    const newer = commit(folder);
    write(folder, { 'a.kiln': 'dirty', 'untracked.kiln': '' });
    expect(at(old).sources).to.deep.equal([
      { path: 'a.kiln', text: 'old' },
      { path: 'gone.kiln', text: 'gone' },
    ]);
    expect(at(newer).sources).to.deep.equal([{ path: 'a.kiln', text: 'new' }]);
  });

  it('are those of the opened folder, and of a bare repository', () => {
    write(folder, { 'apps/my blog/a.kiln': 'a', 'other.kiln': 'o' });
    const revision = commit(folder);
    const below = openRepository(join(folder, 'apps/my blog'));
    expect(sourcesAt(below, revision).sources).to.deep.equal([{ path: 'a.kiln', text: 'a' }]);
    const bare = join(temporaryFolder(), 'bare.git');
    gitIn(folder, 'clone', '--quiet', '--bare', folder, bare);
    expect(sourcesAt(openRepository(bare), revision, 'apps/my blog').sources).to.have.length(1);
  });

  it('are found, skipped and refused as on the disk', () => {
    write(folder, {
      'b.kiln': 'b',
      'a.kiln': '\ufeffa',
      'models/a b/ü\n\t"x".kiln': 'odd',
      'node_modules/x.kiln': 'x',
      'models/dist/x.kiln': 'x',
      '.hidden/x.kiln': 'x',
      '.#a.kiln': 'x',
      'README.md': 'x',
      'folder.kiln/x.kiln': 'x',
      'folder.kiln/y.txt': 'y',
      'latin.kiln': Buffer.from('caf\xe9', 'latin1'),
      'nul.kiln': '\0',
      'big.kiln': new Uint8Array(4 * 1024 * 1024 + 1).fill(0x20),
      'fits.kiln': new Uint8Array(4 * 1024 * 1024).fill(0x20),
    });
    const { disk, git } = both();
    expect(git).to.deep.equal(disk);
    expect(git.problems.map(({ kind }) => kind)).to.have.members(['not-a-file', 'not-utf8', 'not-utf8', 'too-large']);
    expect(git.sources.map(({ path }) => path)).to.include('models/a b/ü\n\t"x".kiln');
  });

  it('are no links, as on the disk', () => {
    write(folder, { 'a.kiln': 'a', 'sub/y.txt': 'y' });
    link('a.kiln', 'again.kiln');
    link('gone.kiln', 'dangling.kiln');
    link('/etc/hostname', 'absolute.kiln');
    link('loop.kiln', 'loop.kiln');
    link('sub', 'folder.kiln');
    const { disk, git } = both();
    expect(git).to.deep.equal(disk);
    expect(git.sources.map(({ path }) => path)).to.deep.equal(['a.kiln']);
    expect(git.problems).to.have.length(5);
    expect(git.problems[0]?.message).to.equal('`absolute.kiln` is a link, though its name ends in `.kiln`');
  });

  it('compile with the modules of hooks that the revision has', async () => {
    await loadGrammar();
    write(folder, {
      'blog.kiln': 'model Post { field title { type string } hook size { arg t title source sizeOf from "size" } }\n',
      'hooks/size.ts': 'export function sizeOf() { return 1; }\n',
      'hooks/big.js': new Uint8Array(5 * 1024 * 1024).fill(0x20),
    });
    const withHook = at(commit(folder));
    rmSync(join(folder, 'hooks/size.ts'));
    const without = at(commit(folder));
    const codes = ({ sources, fileText }: typeof without) =>
      compile(sources, fileText).diagnostics.map(({ code }) => code);
    expect(codes(withHook)).to.deep.equal([]);
    expect(codes(without)).not.to.deep.equal([]);
    expect(withHook.fileText('hooks/size.ts')).to.equal('export function sizeOf() { return 1; }\n');
    expect(withHook.fileText('hooks/../hooks/size.ts')).to.be.a('string');
    for (const path of ['../blog/hooks/size.ts', 'hooks', 'hooks/none.ts']) {
      expect(withHook.fileText(path)).to.equal(undefined);
    }
    expect(refusalOf(() => withHook.fileText('hooks/big.js'))).to.deep.equal({
      kind: 'too-large',
      message: '`hooks/big.js` is 5.0 MB; Kiln reads files up to 4 MB',
    });
  });

  it('leave out submodules', () => {
    const other = newRepository('shared');
    write(other, { 'x.kiln': 'x' });
    commit(other);
    gitIn(folder, 'submodule', '--quiet', 'add', other, 'shared');
    const revision = commit(folder);
    expect(at(revision).problems.map(({ message }) => message)).to.deep.equal([
      `there are no sources in the revision ${revision}: ` +
        'none of its files ends in `.kiln`, and submodules are not part of it',
    ]);
    write(folder, { 'a.kiln': 'a' });
    const { sources, problems } = at(commit(folder));
    expect([sources.length, problems]).to.deep.equal([1, []]);
  });

  it('say that there are none', () => {
    const empty = commit(folder);
    write(folder, { 'docs/notes.txt': 'x' });
    const notes = commit(folder);
    const message = (revision: string, below?: string) =>
      at(revision, below).problems.map((problem) => problem.message);
    expect(message(empty)).to.deep.equal([`there are no sources in the revision ${empty}: it has no files`]);
    expect(message(notes, 'docs')).to.deep.equal([
      `there are no sources in \`docs\` at the revision ${notes}: none of its files ends in \`.kiln\``,
    ]);
    expect(message(empty, 'docs')).to.deep.equal([`the folder \`docs\` does not exist at the revision ${empty}`]);
  });

  it('read thousands of files, and never what lies beside them', () => {
    for (let at = 0; at < 1000; at += 1) write(folder, { [`models/m${at}.kiln`]: `model M${at} {}\n` });
    write(folder, { 'video.mp4': 'not read' });
    const revision = commit(folder);
    const id = gitIn(folder, 'rev-parse', `${revision}:video.mp4`);
    rmSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)));
    const { sources, problems } = at(revision);
    expect(problems).to.deep.equal([]);
    expect(sources).to.have.length(1000);
    expect(sources.find(({ path }) => path === 'models/m999.kiln')?.text).to.equal('model M999 {}\n');
  });

  it('say that an object is missing or damaged', () => {
    write(folder, { 'a.kiln': 'model A {}\n', 'b.kiln': 'model B {}\n' });
    const revision = commit(folder);
    const file = (path: string) => {
      const id = gitIn(folder, 'rev-parse', `${revision}:${path}`);
      return { id, path: join(folder, '.git/objects', id.slice(0, 2), id.slice(2)) };
    };
    const [a, b] = [file('a.kiln'), file('b.kiln')];
    rmSync(a.path);
    expect(refusalOf(() => at(revision))).to.deep.equal({
      kind: 'missing-object',
      message: `the object ${a.id} is missing from the repository, or damaged; \`git fsck\` says which`,
    });
    copyFileSync(b.path, a.path);
    expect(refusalOf(() => at(revision))).to.deep.equal({
      kind: 'damaged-object',
      message:
        `git cannot read from the repository: the object ${a.id} is not what its hash says; ` +
        '`git fsck` says what is damaged, and another clone may have it',
    });
    chmodSync(a.path, 0o644);
    writeFileSync(a.path, 'rubbish');
    expect(refusalOf(() => at(revision)).message).to.include(
      `the object ${a.id} is missing from the repository, or damaged`,
    );
  });
});

describe('a tree', () => {
  it('has every file with its mode, whatever its name', () => {
    const folder = newRepository();
    write(folder, { 'a b': '', 'c\nd\te': '', 'ü/"q"': '', run: '' });
    mkdirSync(join(folder, 'empty'));
    symlinkSync('a b', join(folder, 'link'));
    chmodSync(join(folder, 'run'), 0o755);
    const revision = commit(folder);
    const entries = treeAt(openRepository(folder), revision);
    expect(entries?.map(({ path, mode, kind }) => [path, mode, kind])).to.deep.equal([
      ['a b', '100644', 'file'],
      ['c\nd\te', '100644', 'file'],
      ['link', '120000', 'link'],
      ['run', '100755', 'file'],
      ['ü/"q"', '100644', 'file'],
    ]);
    for (const noFolder of ['a b', 'nowhere'])
      expect(treeAt(openRepository(folder), revision, noFolder)).to.equal(undefined);
  });

  it('is refused where a name in it leads out of it, which only a forged commit has', () => {
    const folder = newRepository();
    write(folder, { 'x.js': '' });
    commit(folder);
    const inner = gitIn(folder, 'rev-parse', 'HEAD^{tree}');
    for (const name of ['..', '.git', '.GIT', '.']) {
      const forged = forgedTree(folder, name, inner);
      const revision = gitIn(folder, 'commit-tree', '-m', 'Forged', forged);
      expect(refusalOf(() => treeAt(openRepository(folder), revision))).to.deep.equal({
        kind: 'damaged-object',
        message: `the revision ${revision} has a file \`${name}/x.js\`, which no checkout could hold; \`git fsck\` says which folder it is in`,
      });
    }
  });
});

/** Git writes it as it is told to, without a look at the names. */
function forgedTree(folder: string, name: string, tree: string): string {
  const bytes = Buffer.concat([Buffer.from(`40000 ${name}\0`), Buffer.from(tree, 'hex')]);
  write(folder, { '../tree': bytes });
  return gitIn(folder, 'hash-object', '-t', 'tree', '--literally', '-w', '../tree');
}
