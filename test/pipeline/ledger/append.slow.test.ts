import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRepository, type Repository } from '../../../pipeline/git/repository.ts';
import { appendRelease } from '../../../pipeline/ledger/append-release.ts';
import { chainOf, ledgerFor, readLedger, readReleaseTexts, releaseOf } from '../../../pipeline/ledger/ledger.ts';
import { bundled } from '../../support/bundled.ts';
import { commit, gitIn, newRepository, refusalOf, temporaryFolder, write } from '../git/git-repository.ts';
import { release, releaseTexts } from './releases.ts';

describe('appending a release', () => {
  let folder: string;
  let repository: Repository;
  let script: string;

  before(() => {
    script = bundled(import.meta.resolve('./append-once.ts'));
  });

  beforeEach(() => {
    folder = newRepository();
    repository = openRepository(folder);
  });

  const tip = (branch = 'main') =>
    gitIn(folder, 'for-each-ref', '--format=%(objectname)', `refs/kiln/releases/${branch}`);

  it('makes a commit that git can show', () => {
    const first = commit(folder, 'Posts have\ttitles\n\nMore');
    const second = commit(folder, 'Posts have bodies');
    release(repository, 'main', first);
    const appended = release(repository, 'main', second);
    expect(appended.kind).to.equal('appended');
    expect(
      gitIn(folder, 'log', '--format=%H %an <%ae> %cn %ci%n%B', 'refs/kiln/releases/main').split('\n')[0],
    ).to.equal(
      `${appended.release.commit} Kiln <kiln@localhost> Kiln ${gitIn(folder, 'log', '-1', '--date=format-local:%Y-%m-%d %H:%M:%S +0000', '--format=%cd', second)}`,
    );
    expect(gitIn(folder, 'log', '--format=%s', 'refs/kiln/releases/main').split('\n')).to.deep.equal([
      `Release ${second.slice(0, 12)}: Posts have bodies`,
      `Release ${first.slice(0, 12)}: Posts have titles`,
    ]);
    expect(
      gitIn(folder, 'log', '-1', '--format=%(trailers:key=Revision,valueonly)', 'refs/kiln/releases/main'),
    ).to.equal(second);
    expect(gitIn(folder, 'show', 'refs/kiln/releases/main:schema.sql')).to.equal('-- Überschrift');
    expect(gitIn(folder, 'fsck', '--strict')).to.equal('');
    expect(gitIn(folder, 'status', '--porcelain')).to.equal('');
  });

  it('gives a chain that can be read again', () => {
    const revisions = [commit(folder), commit(folder), commit(folder)];
    const [first = '', second = '', third = ''] = revisions;
    for (const revision of revisions) release(repository, 'main', revision);
    const ledger = readLedger(repository, 'main');
    expect(chainOf(ledger).map(({ revision }) => revision)).to.deep.equal(revisions);
    expect(chainOf(ledger, second).map(({ revision }) => revision)).to.deep.equal([first, second]);
    expect(chainOf(ledger).map(({ steps }) => steps.length)).to.deep.equal([0, 1, 1]);
    const old = releaseOf(ledger, second);
    expect(old && readReleaseTexts(repository, old)).to.deep.equal(releaseTexts(second, chainOf(ledger, first)[0]));
    expect(releaseOf(ledger, 'f'.repeat(40))).to.equal(undefined);
    expect(ledger.tip).to.equal(releaseOf(ledger, third)?.commit);
    expect(() => chainOf(ledger, 'f'.repeat(40))).to.throw('is not a release of this ledger');
  });

  it('gives the same commit on another machine, whoever builds it and whatever is configured', () => {
    const first = commit(folder, 'Größe');
    const second = commit(folder);
    const clone = join(temporaryFolder(), 'clone');
    gitIn(folder, 'clone', '--quiet', folder, clone);
    gitIn(clone, 'config', 'i18n.commitEncoding', 'ISO-8859-1');
    gitIn(clone, 'config', 'commit.gpgSign', 'true');
    gitIn(clone, 'config', 'core.autocrlf', 'true');
    const other = openRepository(clone, { ...process.env, GIT_AUTHOR_NAME: 'Eve', TZ: 'Asia/Tokyo' });
    for (const revision of [first, second]) {
      const here = release(repository, 'main', revision).release.commit;
      expect(release(other, 'main', revision).release.commit).to.equal(here);
    }
  });

  it('does nothing for a revision that has been released, and gives what was recorded', () => {
    const [first, second] = [commit(folder), commit(folder)];
    const recorded = release(repository, 'main', first).release;
    release(repository, 'main', second);
    const before = tip();
    for (const revision of [second, first]) {
      const again = appendRelease(repository, readLedger(repository, 'main'), revision, releaseTexts('other'));
      expect(again.kind).to.equal('recorded');
      expect(again.release.release.revision).to.equal(revision);
    }
    expect(releaseOf(readLedger(repository, 'main'), first)).to.deep.equal(recorded);
    expect(tip()).to.equal(before);
  });

  it('tells a build that another one was first, and lets the same release pass', () => {
    const [first, second, third] = [commit(folder), commit(folder), commit(folder)];
    release(repository, 'main', first);
    const stale = ledgerFor(repository, 'main', second);
    const winner = release(repository, 'main', second);
    expect(appendRelease(repository, stale, second, releaseTexts(second, chainOf(stale)[0])).release).to.deep.equal(
      winner.release,
    );
    expect(
      refusalOf(() => appendRelease(repository, stale, third, releaseTexts(third, chainOf(stale)[0]))),
    ).to.deep.equal({
      kind: 'overtaken',
      message:
        'another build of `main` recorded a release first, so this one has to be compared with that; build again',
    });
    const unborn = { ...readLedger(repository, 'side'), releases: [] };
    release(repository, 'side', third);
    expect(refusalOf(() => appendRelease(repository, unborn, second, releaseTexts(second))).kind).to.equal('overtaken');
  });

  it('refuses what is not a release of the revision', () => {
    const [first, second] = [commit(folder), commit(folder)];
    const ledger = ledgerFor(repository, 'main', first);
    const others = releaseTexts(second);
    expect(() => appendRelease(repository, ledger, first, others)).to.throw(
      'migration.json is not that of the release',
    );
    const steps = releaseTexts(first, { revision: second, fingerprint: 'x', steps: [] });
    expect(() => appendRelease(repository, ledger, first, steps)).to.throw(
      'the first release of a ledger has no steps',
    );
    const absent = 'f'.repeat(40);
    expect(refusalOf(() => appendRelease(repository, ledger, absent, releaseTexts(absent))).message).to.equal(
      `the commit ${absent} is not in the repository`,
    );
  });

  it('says which file to remove where a process was killed while it moved the reference', () => {
    const first = commit(folder);
    write(folder, { '.git/refs/kiln/releases/main.lock': '' });
    const file = join(folder, '.git/refs/kiln/releases/main.lock');
    expect(refusalOf(() => release(repository, 'main', first))).to.deep.equal({
      kind: 'locked',
      message:
        '`refs/kiln/releases/main` is held by another process; ' +
        `where none is running, remove \`${file}\` and build again`,
    });
  });

  it('has one winner among processes that append at once', async () => {
    const base = commit(folder);
    release(repository, 'main', base);
    const revisions = [commit(folder), commit(folder), commit(folder), commit(folder)];
    const builds = revisions.map((revision) => startBuild(script, folder, revision));
    await Promise.all(builds.map(({ hasRead }) => hasRead));
    for (const build of builds) build.goOn();
    const outcomes = await Promise.all(builds.map(({ outcome }) => outcome));
    const won = outcomes.filter((outcome) => outcome.startsWith('appended'));
    expect(won).to.deep.equal([`appended ${tip()}`]);
    expect(outcomes.filter((outcome) => outcome === 'overtaken')).to.have.length(3);
    expect(readLedger(repository, 'main').releases).to.have.length(2);
  });

  it('shows nothing or all of it, whichever command of git it is killed before', () => {
    const [first, second] = [commit(folder), commit(folder)];
    release(repository, 'main', first);
    const before = tip();
    let call = FIRST_CALL_AFTER_READING;
    let outcome = killedAt(script, folder, second, call);
    for (; outcome.signal === 'SIGKILL'; call += 1, outcome = killedAt(script, folder, second, call)) {
      expect(outcome.said).to.equal('read\n');
      expect(tip()).to.equal(before);
      expect(readLedger(repository, 'main').releases).to.have.length(1);
    }
    expect(call - FIRST_CALL_AFTER_READING).to.equal(3);
    expect(outcome.said).to.equal(`read\nappended ${tip()}\n`);
    const clone = openRepository(newRepository());
    gitIn(clone.gitFolder, 'fetch', '--quiet', folder, 'main');
    release(clone, 'main', first);
    expect(release(clone, 'main', second).release.commit).to.equal(tip());
  });
});

/** One opens the repository, and three read the ledger; then three: the tree before, all objects, and the reference. */
const FIRST_CALL_AFTER_READING = 5;

function startBuild(script: string, folder: string, revision: string) {
  const child = spawn(process.execPath, [script, folder, 'main', revision], { stdio: 'pipe' });
  let said = '';
  const hasRead = new Promise<void>((resolve) => {
    child.stdout.on('data', (bytes) => {
      said += bytes;
      if (said.startsWith('read\n')) resolve();
    });
  });
  const outcome = new Promise<string>((resolve) => {
    child.once('close', () => resolve(said.replace('read\n', '').trim()));
  });
  return { hasRead, outcome, goOn: () => child.stdin.end('go\n') };
}

/** Puts a program before git that kills the one who runs it, instead of its n-th run. */
function killedAt(script: string, folder: string, revision: string, call: number) {
  const programs = temporaryFolder();
  const [count, git] = [join(programs, 'count'), join(programs, 'git')];
  const path = process.env.PATH ?? '';
  const real = path.split(':').find((place) => existsSync(join(place, 'git')));
  write(programs, {
    git: `#!/bin/sh\necho >> '${count}'\n[ "$(wc -l < '${count}')" -eq ${call} ] && kill -9 $PPID && exit 1\nexec '${real}/git' "$@"\n`,
  });
  chmodSync(git, 0o755);
  const env = { ...process.env, PATH: `${programs}:${path}` };
  const words = [script, folder, 'main', revision];
  const { signal, stdout } = spawnSync(process.execPath, words, { env, input: 'go\n' });
  return { signal, said: stdout.toString() };
}
