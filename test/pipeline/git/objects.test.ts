/** Objects are written as git itself writes them, and read the same wherever git keeps them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { areHere, readObjects } from '../../../pipeline/git/objects.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { GitRefusal } from '../../../pipeline/git/run-git.ts';
import { NewObjects } from '../../../pipeline/git/write-objects.ts';
import { gitIn, temporaryFolder } from './git-repository.ts';

for (const hash of ['sha1', 'sha256'] as const) {
  describe(`objects with ${hash}`, () => {
    const folder = temporaryFolder();
    gitIn(folder, 'init', '--quiet', '-b', 'main', `--object-format=${hash}`);
    const repository = openRepository(folder);
    const objects = new NewObjects(repository);
    // More than fits into the first byte of a size, and into two.
    const texts = ['', 'short\n', 'x'.repeat(100), 'ü'.repeat(70_000)];
    const blobs = texts.map((text) => objects.blob(text));
    // Git sorts `a` as a folder behind `a.txt`, since it compares `a/`.
    const tree = objects.folders(null, new Map([['a/one', blobs[1] as string]]));
    const first = objects.commit({ tree, parents: [], time: 0, message: 'The first\n' });
    objects.write();
    const files = new Map(blobs.map((id, at) => [`a.txt/${at}`, id]));
    const second = objects.commit({
      tree: objects.folders(first, files),
      parents: [first],
      time: 1,
      message: 'The second\n',
    });
    objects.write();

    it('are those that git writes', () => {
      expect(gitIn(folder, 'fsck', '--strict', '--no-dangling')).to.equal('');
      for (const [at, text] of texts.entries()) {
        const options = { cwd: folder, input: text, encoding: 'utf8' } as const;
        expect(execFileSync('git', ['hash-object', '--stdin'], options).trim()).to.equal(blobs[at]);
      }
      gitIn(folder, 'update-ref', 'refs/heads/main', second);
      const listed = gitIn(folder, 'ls-tree', '-r', '--name-only', 'main').split('\n');
      expect(listed).to.deep.equal(['a.txt/0', 'a.txt/1', 'a.txt/2', 'a.txt/3', 'a/one']);
    });

    it('are read in files and in packs, and are missing in both', () => {
      const names = [
        second,
        `${second}^{tree}`,
        `${second}:a.txt/3`,
        `${second}:a`,
        `${second}:b`,
        `${second}:a/one/x`,
      ];
      const read = () => readObjects(repository, names).map((object) => object && `${object.type} ${object.id}`);
      const loose = read();
      expect(loose.map((each) => each?.split(' ')[0])).to.deep.equal([
        ...['commit', 'tree', 'blob', 'tree'],
        ...[undefined, undefined],
      ]);
      const here = areHere(repository, names);
      expect(here).to.deep.equal([true, true, true, true, false, false]);
      gitIn(folder, 'gc', '--quiet');
      expect(read()).to.deep.equal(loose);
      expect(areHere(repository, names)).to.deep.equal(here);
    });

    it('are not taken from a file that is not what its name says', () => {
      const [loose, other] = [objects.blob('one'), objects.blob('another')];
      objects.write();
      const fileOf = (id: string) => join(folder, '.git/objects', id.slice(0, 2), id.slice(2));
      chmodSync(fileOf(other), 0o644);
      writeFileSync(fileOf(other), readFileSync(fileOf(loose)));
      expect(() => readObjects(repository, [other])).to.throw(/damaged/);
    });

    it('are not added to a tree that is missing, since that would lose what is in it', () => {
      const blob = objects.blob('kept');
      const inner = objects.tree({ one: blob });
      const outer = objects.folders(null, new Map([['folder/one', blob]]));
      const commit = objects.commit({ tree: outer, parents: [], time: 2, message: 'The third\n' });
      objects.write();
      const add = () => objects.folders(commit, new Map([['folder/two', blob]]));
      expect(add).not.to.throw();
      for (const id of [inner, outer]) {
        rmSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)));
        expect(add).to.throw(GitRefusal, /is missing from the repository/);
      }
    });
  });
}
