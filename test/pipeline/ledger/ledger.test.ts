import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRepository, type Repository } from '../../../pipeline/git/repository.ts';
import { NewObjects } from '../../../pipeline/git/write-objects.ts';
import {
  chainOf,
  type Ledger,
  ledgerBranches,
  ledgerFor,
  readLedger,
  releasesWithoutSource,
} from '../../../pipeline/ledger/ledger.ts';
import { commit, gitIn, newRepository, refusalOf } from '../git/git-repository.ts';
import { release, releaseTexts } from './releases.ts';

describe('a ledger', () => {
  let folder: string;
  let repository: Repository;

  beforeEach(() => {
    folder = newRepository();
    repository = openRepository(folder);
  });

  const git = (...words: readonly string[]) => gitIn(folder, ...words);
  const revisions = (ledger: Ledger) => chainOf(ledger).map(({ revision }) => revision);
  const released = (branch: string) => revisions(readLedger(repository, branch));
  const start = (branch: string, revision: string) => revisions(ledgerFor(repository, branch, revision));

  function commitOn(branch: string, from?: string): string {
    if (from) git('checkout', '--quiet', '-B', branch, from);
    else git('checkout', '--quiet', branch);
    return commit(folder, `On ${branch}`);
  }

  describe('of a branch without releases', () => {
    it('is empty where nothing has been released', () => {
      const first = commit(folder);
      expect(ledgerFor(repository, 'main', first)).to.deep.equal({
        branch: 'main',
        reference: 'refs/kiln/releases/main',
        tip: null,
        releases: [],
      });
    });

    it('starts from the newest release among its ancestors', () => {
      const [first, second] = [commit(folder), commit(folder)];
      for (const revision of [first, second]) release(repository, 'main', revision);
      const side = commitOn('side', second);
      const later = commitOn('main');
      release(repository, 'main', later);
      expect(start('side', side)).to.deep.equal([first, second]);
      release(repository, 'side', side);
      expect(released('side')).to.deep.equal([first, second, side]);
      expect(released('main')).to.deep.equal([first, second, later]);
      const further = commitOn('further', side);
      expect(start('further', further)).to.deep.equal([first, second, side]);
    });

    it('shares the release of a revision that has one', () => {
      const [first, second] = [commit(folder), commit(folder)];
      for (const revision of [first, second]) release(repository, 'main', revision);
      const { kind, release: shared, ledger } = release(repository, 'side', first);
      expect([kind, shared]).to.deep.equal(['recorded', readLedger(repository, 'main').releases[0]]);
      expect(ledger).to.deep.equal(readLedger(repository, 'side'));
      expect(released('side')).to.deep.equal([first]);
    });

    it('starts anew where its history has nothing in common with what was released', () => {
      release(repository, 'main', commit(folder));
      git('checkout', '--quiet', '--orphan', 'apart');
      expect(start('apart', commit(folder))).to.deep.equal([]);
    });

    it('starts, after a merge of two released lines, from the one that was merged into', () => {
      const base = commit(folder);
      release(repository, 'main', base);
      const side = commitOn('a-side', base);
      release(repository, 'a-side', side);
      const main = commitOn('main');
      release(repository, 'main', main);
      git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'a-side');
      expect(start('production', commit(folder))).to.deep.equal([base, main]);
    });

    it('starts from a side branch that was merged where that release is newer', () => {
      const base = commit(folder);
      release(repository, 'main', base);
      const side = commitOn('side', base);
      release(repository, 'side', side);
      git('checkout', '--quiet', 'main');
      git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'side');
      expect(start('production', commit(folder))).to.deep.equal([base, side]);
    });

    it('refuses to guess in a shallow clone', () => {
      commit(folder);
      release(repository, 'main', commit(folder));
      const clone = join(newRepository(), 'clone');
      git('clone', '--quiet', '--depth=1', `file://${folder}`, clone);
      const revision = gitIn(clone, 'rev-parse', 'HEAD');
      const refusal = refusalOf(() => ledgerFor(openRepository(clone), 'main', revision));
      expect(refusal.kind).to.equal('shallow');
      expect(refusal.message).to.include('fetch-depth: 0');
    });
  });

  describe('of a branch with releases', () => {
    it('goes on from its own last release after a merge', () => {
      const base = commit(folder);
      release(repository, 'main', base);
      const side = commitOn('side', base);
      release(repository, 'side', side);
      const main = commitOn('main');
      release(repository, 'main', main);
      git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'side');
      const merged = git('rev-parse', 'HEAD');
      release(repository, 'main', merged);
      expect(released('main')).to.deep.equal([base, main, merged]);
      git('checkout', '--quiet', 'side');
      git('merge', '--quiet', '--ff-only', 'main');
      release(repository, 'side', merged);
      expect(released('side')).to.deep.equal([base, side, merged]);
    });

    it('goes on from its own last release after a force push, though the new commit does not descend from it', () => {
      const base = commit(folder);
      const lost = commit(folder);
      for (const revision of [base, lost]) release(repository, 'main', revision);
      git('reset', '--quiet', '--hard', base);
      const rewritten = commit(folder, 'Rewritten');
      release(repository, 'main', rewritten);
      expect(released('main')).to.deep.equal([base, lost, rewritten]);
      expect(releasesWithoutSource(repository, readLedger(repository, 'main'))).to.deep.equal([]);
      git('-c', 'gc.reflogExpire=now', 'reflog', 'expire', '--expire=now', '--all');
      git('gc', '--quiet', '--prune=now');
      const ledger = readLedger(repository, 'main');
      expect(revisions(ledger)).to.deep.equal([base, lost, rewritten]);
      expect(releasesWithoutSource(repository, ledger).map((each) => each.release.revision)).to.deep.equal([lost]);
    });

    it('outlives its branch, and the next branch of that name goes on from it', () => {
      const base = commit(folder);
      const side = commitOn('side', base);
      release(repository, 'side', side);
      git('checkout', '--quiet', 'main');
      git('branch', '--quiet', '-D', 'side');
      const again = commitOn('side', base);
      release(repository, 'side', again);
      expect(released('side')).to.deep.equal([side, again]);
    });

    it('never collides with that of another branch', () => {
      const first = commit(folder);
      const names = ['feature', 'feature/x', 'feature%2Fx', 'feature%252Fx', 'a/b/c', 'ü', 'x.y-z_1'];
      for (const name of names) release(repository, name, first);
      expect(ledgerBranches(repository)).to.have.members(names);
      for (const name of names) expect(released(name)).to.deep.equal([first]);
      expect(readLedger(repository, 'feature/x').reference).to.equal('refs/kiln/releases/feature%2Fx');
    });

    it('has a name that git allows for a branch', () => {
      for (const name of ['', 'a b', 'a..b', '/a', 'a/', 'x.lock', 'a\nb', 'a\0b', '@{']) {
        expect(refusalOf(() => readLedger(repository, name)).kind, name).to.equal('bad-branch');
      }
    });

    it('is kept in a bare repository, and in packed references', () => {
      const first = commit(folder);
      const bare = join(newRepository(), 'bare.git');
      git('clone', '--quiet', '--bare', folder, bare);
      const repository = openRepository(bare);
      release(repository, 'main', first);
      gitIn(bare, 'gc', '--quiet', '--prune=now');
      expect(revisions(readLedger(repository, 'main'))).to.deep.equal([first]);
      expect(release(repository, 'main', first).kind).to.equal('recorded');
    });

    it('is read whole when it is long', () => {
      let parent = '';
      const made = Array.from({ length: 20 }, (_, at) => at.toString(16).padStart(40, '0'));
      for (const [at, revision] of made.entries()) parent = forged({ revision, parents: at === 0 ? [] : [parent] });
      git('update-ref', 'refs/kiln/releases/main', parent);
      expect(released('main')).to.deep.equal(made);
    });
  });

  interface Forgery {
    readonly revision: string;
    readonly parents?: readonly string[];
    readonly message?: string;
    readonly files?: Readonly<Record<string, string | undefined>>;
  }

  /** A release that `appendRelease` would not make. */
  function forged({ revision, parents = [], message, files }: Forgery): string {
    const before = parents.length > 0 ? { revision: '', fingerprint: '', steps: [] } : undefined;
    const texts = Object.entries({ ...releaseTexts(revision, before), ...files });
    const objects = new NewObjects(repository);
    const blobs = texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, objects.blob(text)]]));
    const facts = `Revision: ${revision}\nSchema: schema-${revision.slice(0, 8)}`;
    const id = objects.commit({
      tree: objects.tree(Object.fromEntries(blobs)),
      parents,
      time: 0,
      message: message ?? `Release ${revision.slice(0, 12)}\n\n${facts}\n`,
    });
    objects.write();
    return id;
  }

  describe('that is damaged', () => {
    const [one, two] = ['1'.repeat(40), '2'.repeat(40)] as const;

    /** What is said about a ledger that leads to `tip`, without what is the same each time. */
    function damage(tip: string): string {
      git('update-ref', 'refs/kiln/releases/main', tip);
      const { kind, message } = refusalOf(() => readLedger(repository, 'main'));
      expect(kind).to.equal('damaged');
      const [, what] = /^the ledger `refs\/kiln\/releases\/main` is damaged: (.*); take it from another clone, or/.exec(
        message,
      ) ?? [undefined, message];
      return what ?? '';
    }

    it('says that the reference was moved to a commit of a branch', () => {
      const first = commit(folder);
      expect(damage(first)).to.equal(`it leads to ${first}, which is not a release`);
      expect(ledgerFor(repository, 'side', first).releases).to.deep.equal([]);
      const objects = new NewObjects(repository);
      const blob = objects.blob('x');
      objects.write();
      expect(damage(blob)).to.equal(`it leads to ${blob}, which is not a release`);
    });

    it('says how to keep the releases before, and other branches go on', () => {
      const [first, second] = [commit(folder), commit(folder)];
      const whole = release(repository, 'main', first).release.commit;
      release(repository, 'other', commit(folder));
      for (const foreign of [
        forged({ revision: second, parents: [whole], message: 'x' }),
        forged({ revision: second, parents: [whole], files: { 'migration.json': '{' } }),
      ]) {
        git('update-ref', 'refs/kiln/releases/main', foreign);
        const { message } = refusalOf(() => readLedger(repository, 'main'));
        expect(message).to.include(foreign);
        expect(ledgerFor(repository, 'side', first).releases).to.have.length(1);
        const [, command = ''] = /run `git -C '[^']+' ([^`]+)`/.exec(message) ?? [];
        git(...command.split(' '));
        expect(readLedger(repository, 'main').tip).to.equal(whole);
      }
    });

    it('says which file is missing or cannot be read', () => {
      const without = forged({ revision: one, files: { 'openapi.json': undefined, 'report.json': undefined } });
      expect(damage(without)).to.equal(`the release ${without} has no \`openapi.json\`, \`report.json\``);
      for (const text of ['{', '[]', 'null', '{"revision":"1"}', '{"revision":"","fingerprint":"","steps":[{}]}']) {
        const unreadable = forged({ revision: one, files: { 'migration.json': text } });
        expect(damage(unreadable)).to.equal(`\`migration.json\` of the release ${unreadable} cannot be read`);
      }
    });

    it('says that a release contradicts itself or the chain', () => {
      const other = forged({ revision: one, files: { 'migration.json': releaseTexts(two)['migration.json'] } });
      expect(damage(other)).to.equal(`the message and \`migration.json\` of the release ${other} do not agree`);
      const [a, b] = [forged({ revision: one }), forged({ revision: two })];
      const merged = forged({ revision: '3'.repeat(40), parents: [a, b] });
      expect(damage(merged)).to.match(/follows more than one release|does not follow the one before it/);
      const twice = forged({ revision: one, parents: [a] });
      expect(damage(twice)).to.equal(`the revision ${one} is in it twice, at last in ${twice}`);
      const stepped = releaseTexts(one, { revision: '', fingerprint: '', steps: [] });
      const first = forged({ revision: one, files: { 'migration.json': stepped['migration.json'] } });
      expect(damage(first)).to.equal(`the release ${first} is the first one, yet it changes a schema`);
      const source = commit(folder);
      const onSource = forged({ revision: one, parents: [source] });
      expect(damage(onSource)).to.equal(`${source} is not a release`);
    });

    it('says that objects are gone', () => {
      const a = forged({ revision: one });
      const b = forged({ revision: two, parents: [a] });
      git('update-ref', 'refs/kiln/releases/main', b);
      rmSync(join(folder, '.git/objects', a.slice(0, 2), a.slice(2)));
      expect(damage(b)).to.equal(`a release before ${b} is not in the repository`);
    });
  });
});
