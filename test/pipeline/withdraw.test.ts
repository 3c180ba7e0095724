import { expect } from 'chai';
import type { ReleaseChain } from '../../compiler/definition/migration.ts';
import { BuildRefusal } from '../../pipeline/bake/build-names.ts';
import { buildRelease, checkRelease } from '../../pipeline/bake/build-release.ts';
import { migrationWords } from '../../pipeline/bake/compared-releases.ts';
import { openRepository } from '../../pipeline/git/repository.ts';
import { appendRelease } from '../../pipeline/ledger/append-release.ts';
import { recordDeployment } from '../../pipeline/ledger/deployments.ts';
import { readLedger, readReleaseTexts } from '../../pipeline/ledger/ledger.ts';
import type { ReleaseTexts } from '../../pipeline/ledger/release-files.ts';
import { Steps } from '../../pipeline/smoke/steps.ts';
import { migrated } from '../runtime/migrate/databases.ts';
import { createDatabase } from '../support/postgres.ts';
import { commit, copyOfRepository, gitIn, newRepository, write } from './git/git-repository.ts';

const FIRST = 'model Post { field title { type string } }';
const UNIQUE = 'model Post { field title { type string, unique }  field note { type string, default "" } }';
const REVERTED = 'model Post { field title { type string }  drop note }';

describe('a commit that withdraws a release', () => {
  let folder: string;
  /** Two releases, of which a database may fail to complete the second. They are made once, and each test has a copy. */
  let twoReleases: string;
  let first: string;
  let failing: string;

  before(async () => {
    folder = newRepository();
    first = await released(FIRST);
    failing = await released(UNIQUE, 'Unique titles');
    twoReleases = folder;
  });

  beforeEach(() => {
    folder = copyOfRepository(twoReleases);
  });

  function inputOf(revision: string, branch = 'main') {
    const repository = openRepository(folder);
    return { repository, revision, branch, folder: repository.folder };
  }

  /** The revision of a commit with this source. */
  function committed(source: string, message = 'Change'): string {
    write(folder, { 'blog.kiln': `${source}\n` });
    return commit(folder, message);
  }

  async function released(source: string, message?: string, branch?: string): Promise<string> {
    const revision = committed(source, message);
    await buildRelease(inputOf(revision, branch), new Steps(() => undefined));
    return revision;
  }

  async function chainAt(revision: string): Promise<ReleaseChain> {
    return (await checkRelease(inputOf(revision))).chain;
  }

  async function chainsAt<Revisions extends readonly string[]>(...revisions: Revisions) {
    const chains: ReleaseChain[] = [];
    for (const revision of revisions) chains.push(await chainAt(revision));
    return chains as { [At in keyof Revisions]: ReleaseChain };
  }

  async function refusalOf(revision: string): Promise<BuildRefusal> {
    const error = await checkRelease(inputOf(revision)).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(BuildRefusal);
    return error as BuildRefusal;
  }

  it('lets a database go on that could not complete the release, and one that could', async () => {
    const reverted = await released(REVERTED, `No unique titles\n\nWithdraws: ${failing.slice(0, 12)}`);
    const [atFirst, atFailing, atReverted] = await chainsAt(first, failing, reverted);
    for (const title of ['A', 'B']) {
      const { url, client } = await createDatabase();
      await migrated(atFirst, url);
      await client.query(`INSERT INTO post (title) VALUES ('A'), ('${title}')`);
      const { result } = await migrated(atFailing, url);
      expect(result.kind).to.equal(title === 'A' ? 'refused' : 'done');
      const after = await migrated(atReverted, url);
      expect(after.result).to.deep.include({ kind: 'done', withdrawn: title === 'A' ? [failing] : [] });
    }
  });

  it('is said with the release: what databases do that have not completed the other one', async () => {
    const { releases } = await chainAt(committed(REVERTED, `Revert\n\nWithdraws: ${failing.slice(0, 12)}`));
    expect(migrationWords(releases)).to.include(
      `withdraws release 2 (${failing.slice(0, 12)}): databases without it come from release 1 without a change`,
    );
  });

  it('may take a wider type back, as long as no database is recorded that has it', async () => {
    const wide = 'model Post { field title { type string, unique }  field rank { type string } }';
    const narrow = 'model Post { field title { type string }  field rank { type integer } }';
    folder = newRepository();
    const integers = await released(narrow);
    const texts = await released(wide, 'Ranks are texts');
    const message = `Ranks are numbers\n\nWithdraws: ${texts.slice(0, 12)}`;
    const reverted = committed(narrow, message);
    const prepared = await checkRelease(inputOf(reverted));
    expect(prepared.from).to.equal(1);
    expect(prepared.difference?.api).to.deep.equal([]);
    const [atIntegers, atTexts] = await chainsAt(integers, texts);
    for (const [title, kind] of [
      ['A', 'refused'],
      ['B', 'done'],
    ]) {
      const { url, client } = await createDatabase();
      await migrated(atIntegers, url);
      await client.query(`INSERT INTO post (title, rank) VALUES ('A', 1), ('${title}', 2)`);
      expect((await migrated(atTexts, url)).result.kind).to.equal(kind);
      const { result } = await migrated(prepared.chain, url);
      expect(result.kind).to.equal(kind === 'refused' ? 'done' : 'refused');
      const { rows } = await client.query('SELECT rank::text FROM post ORDER BY id');
      expect(rows.map(({ rank }) => rank)).to.deep.equal(['1', '2']);
    }
    const [when, who] = ['2026-01-01T00:00:00Z', 'ada'];
    recordDeployment(openRepository(folder), { environment: 'staging', revision: texts, branch: 'main', when, who });
    expect((await refusalOf(reverted)).message).to.include('does not say what happens to data');
  });

  it('is recorded, and is in the image of every later release', async () => {
    await released(REVERTED, `Revert\n\nWithdraws: ${failing}`);
    const later = await released(`${REVERTED}\nmodel Tag { field name { type string } }`);
    const { releases } = await chainAt(later);
    expect(releases.map(({ withdraws }) => withdraws?.map(({ revision }) => revision))).to.deep.equal([
      undefined,
      undefined,
      [failing],
      undefined,
    ]);
  });

  it('may withdraw the same one again, when it was to no avail', async () => {
    const second = await released(
      UNIQUE.replace('string, unique', 'string').replace('""', '"", unique'),
      `Other\n\nWithdraws: ${failing}`,
    );
    const { releases } = await chainAt(committed(REVERTED, `Revert\n\nWithdraws: ${failing}\nWithdraws: ${second}`));
    const withdraws = releases.at(-1)?.withdraws ?? [];
    expect(withdraws.map(({ revision, undo }) => [revision, undo.map((each) => each.revision)])).to.deep.equal([
      [failing, [failing, second]],
      [second, [second]],
    ]);
    expect(migrationWords(releases).join('\n')).to.include(
      `withdraws release 2 (${failing.slice(0, 12)}) again, after release 3: databases without it come from release 1`,
    );
  });

  it('withdraws a release once where two commits name it', async () => {
    committed(REVERTED, `Revert\n\nWithdraws: ${failing}`);
    const { releases } = await chainAt(committed(REVERTED, `Once more\n\nWithdraws: ${failing.slice(0, 12)}`));
    expect(releases.at(-1)?.withdraws?.map(({ revision }) => revision)).to.deep.equal([failing]);
  });

  it('withdraws it again where the commit was amended: its own migration may have failed as well', async () => {
    const other = UNIQUE.replace('string, unique', 'string').replace('""', '"", unique');
    const second = await released(other, `No unique titles\n\nWithdraws: ${failing}`);
    write(folder, { 'blog.kiln': `${REVERTED}\n` });
    gitIn(folder, 'commit', '--quiet', '--all', '--amend', '--no-edit');
    const { releases } = await chainAt(gitIn(folder, 'rev-parse', 'HEAD'));
    const withdraws = releases.at(-1)?.withdraws ?? [];
    expect(withdraws.map(({ revision, undo }) => [revision, undo.map((each) => each.revision)])).to.deep.equal([
      [failing, [failing, second]],
    ]);
  });

  describe('and is rebased', () => {
    let rebased: string;
    let reverted: string;

    /** Three releases, of which the last one withdraws the second; then copies of their commits, with other hashes. */
    before(async () => {
      folder = copyOfRepository(twoReleases);
      reverted = await released(REVERTED, `No unique titles\n\nWithdraws: ${failing.slice(0, 12)}`);
      gitIn(folder, 'reset', '--quiet', '--hard', first);
      gitIn(folder, 'cherry-pick', failing, reverted);
      rebased = folder;
    });

    beforeEach(() => {
      folder = copyOfRepository(rebased);
    });

    async function lastAt(revision: string) {
      const { release } = await buildRelease(inputOf(revision), new Steps(() => undefined));
      return release.chain.releases.at(-1);
    }

    it('withdraws the release again by its copy', async () => {
      const copy = gitIn(folder, 'rev-parse', 'HEAD');
      expect(copy).not.to.equal(reverted);
      expect((await lastAt(copy))?.withdraws?.map(({ revision }) => revision)).to.deep.equal([failing]);
    });

    it('withdraws the release again where another commit says so', async () => {
      const release = await lastAt(committed(REVERTED, `Still not\n\nWithdraws: ${failing.slice(0, 12)}`));
      expect(release?.withdraws?.map(({ revision }) => revision)).to.deep.equal([failing]);
    });

    it('may name a release whose commit is in no branch any more', async () => {
      gitIn(folder, 'reset', '--quiet', '--hard', first);
      await released(UNIQUE.replace('""', '"x"'), 'Unique titles, and other notes');
      const release = await lastAt(committed(REVERTED, `Neither\n\nWithdraws: ${failing.slice(0, 12)}`));
      expect(release?.withdraws?.map(({ revision }) => revision)).to.deep.equal([failing]);
    });
  });

  it('is refused where it names a commit that is part of a release', async () => {
    folder = newRepository();
    await released(FIRST);
    const part = committed(UNIQUE, 'Unique titles');
    const whole = await released(`${UNIQUE}\nmodel Tag { field name { type string } }`);
    const refused = committed(`${REVERTED}\ndrop model Tag`, `Revert\n\nWithdraws: ${part.slice(0, 12)}`);
    expect((await refusalOf(refused)).message).to.equal(
      `a commit says \`Withdraws: ${part.slice(0, 12)}\`, but that commit is not a release: it is part of release 2 of \`main\`; write \`Withdraws: ${whole.slice(0, 12)}\``,
    );
  });

  it('is refused where it names a commit that is part of the first release, which cannot be withdrawn', async () => {
    folder = newRepository();
    const part = committed(FIRST, 'Posts');
    await released(`${FIRST}\nmodel Tag { field name { type string } }`);
    const refused = committed(`${UNIQUE}\ndrop model Tag`, `Change\n\nWithdraws: ${part}`);
    expect((await refusalOf(refused)).message).to.equal(
      `a commit says \`Withdraws: ${part}\`, but that commit is not a release: it is part of release 1 of \`main\`; that is the first release, and databases have nothing to go back to`,
    );
  });

  it('is refused where the sources still have the change, or have it again', async () => {
    const message = `a commit says \`Withdraws: ${failing.slice(0, 12)}\`, but the migration from the previous release is still that of release 2, and would fail again; change the sources back in the same push, or remove the line`;
    expect((await refusalOf(committed(UNIQUE, `Give up\n\nWithdraws: ${failing}`))).message).to.equal(message);
    gitIn(folder, 'reset', '--quiet', '--hard', failing);
    committed(REVERTED, `Revert\n\nWithdraws: ${failing}`);
    gitIn(folder, 'revert', '--no-edit', 'HEAD');
    expect((await refusalOf(gitIn(folder, 'rev-parse', 'HEAD'))).message).to.equal(message);
  });

  it('can be reverted by a later release, which brings the change again to every database', async () => {
    const withdrawn = await released(REVERTED, `Revert\n\nWithdraws: ${failing}`);
    gitIn(folder, 'revert', '--no-edit', 'HEAD');
    const again = gitIn(folder, 'rev-parse', 'HEAD');
    await buildRelease(inputOf(again), new Steps(() => undefined));
    const [atFirst, atFailing, atWithdrawn, atAgain] = await chainsAt(first, failing, withdrawn, again);
    for (const begun of [atFirst, atFailing, atWithdrawn]) {
      const { url, client } = await createDatabase();
      await migrated(atFirst, url);
      await client.query(`INSERT INTO post (title) VALUES ('A'), ('A')`);
      await migrated(begun, url);
      const { result } = await migrated(atAgain, url);
      expect(result).to.have.nested.property('failure.position', 4);
      expect(result).to.have.deep.property('applied', begun === atWithdrawn ? [] : [withdrawn]);
      await client.query(`UPDATE post SET title = title || id`);
      expect((await migrated(atAgain, url)).result).to.deep.include({ kind: 'done', position: 4 });
    }
  });

  it('is refused where it names no release of any branch', async () => {
    const unknown = committed(REVERTED, 'Revert\n\nWithdraws: release 2');
    expect((await refusalOf(unknown)).message).to.equal(
      'a commit says `Withdraws: release 2`, but no release of this repository has this revision; `migrate` says it when it fails',
    );
  });

  it('is told, and not followed, where it names a release of a branch that was merged', async () => {
    folder = newRepository();
    await released(FIRST);
    gitIn(folder, 'checkout', '--quiet', '-b', 'next');
    const elsewhere = await released(UNIQUE, 'Unique titles', 'next');
    await released(REVERTED, `No unique titles\n\nWithdraws: ${elsewhere.slice(0, 12)}`, 'next');
    gitIn(folder, 'checkout', '--quiet', 'main');
    gitIn(folder, 'merge', '--quiet', '--no-ff', '--message', 'Merge next', 'next');
    const merged = gitIn(folder, 'rev-parse', 'HEAD');
    const said: string[] = [];
    const { release } = await buildRelease(inputOf(merged), new Steps((line) => void said.push(line)));
    expect(release.chain.releases).to.have.length(2);
    expect(release.chain.releases.at(-1)).not.to.have.property('withdraws');
    expect(said).to.include(`  \`Withdraws: ${elsewhere.slice(0, 12)}\` concerns \`next\`, not \`main\``);
  });

  it('is refused where the revision is so short that several releases begin with it', async () => {
    const short = failing.slice(0, 7);
    const repository = openRepository(folder);
    const ledger = readLedger(repository, 'main');
    const second = ledger.releases[1] as (typeof ledger.releases)[0];
    // No two commits of a test begin with the same seven digits, so the last one is there again under another name.
    const twin = { ...second, release: { ...second.release, revision: short.padEnd(40, '0') } };
    const revision = committed(REVERTED, `Revert\n\nWithdraws: ${short}`);
    const input = {
      ...inputOf(revision),
      ledger: { ...ledger, releases: [...ledger.releases.slice(0, 1), twin, second] },
    };
    const error = await checkRelease(input).catch((reason: unknown) => reason);
    expect((error as BuildRefusal).message).to.equal(
      `a commit says \`Withdraws: ${short}\`, but several releases of \`main\` begin so; write more of the revision`,
    );
  });

  it('is refused where it gives up the first release', async () => {
    const all = committed(`${UNIQUE}\nmodel Tag { field name { type string } }`, `Change\n\nWithdraws: ${first}`);
    expect((await refusalOf(all)).message).to.equal(
      `a commit says \`Withdraws: ${first}\`, but that is the first release, and databases have nothing to go back to`,
    );
  });

  it('is refused where the sources do not say what happens to the data of the previous release', async () => {
    folder = newRepository();
    await released(`${FIRST}\nmodel Tag { field name { type string } }`);
    const dropping = await released(`${UNIQUE}\ndrop model Tag`);
    const reverted = committed(REVERTED, `Revert\n\nWithdraws: ${dropping}`);
    const { message, shown } = await refusalOf(reverted);
    expect(message).to.equal('the change does not say what happens to data');
    expect(shown).to.include('error[model-disappeared]').and.include('`Tag`');
  });

  it('is refused where another Kiln has written the migration that is to be undone', async () => {
    const repository = openRepository(folder);
    const { releases, ...ledger } = readLedger(repository, 'main');
    const [begun, second] = releases as [(typeof releases)[0], (typeof releases)[0]];
    const texts = readReleaseTexts(repository, second);
    const other: ReleaseTexts = {
      ...texts,
      'migration.json': texts['migration.json'].replace('ADD COLUMN', 'ADD  COLUMN'),
    };
    // As if it had been recorded so.
    const { ledger: changed } = appendRelease(repository, { ...ledger, releases: [begun] }, failing, other);
    const revision = committed(REVERTED, `Revert\n\nWithdraws: ${failing}`);
    const error = await checkRelease({ ...inputOf(revision), ledger: changed }).catch((reason: unknown) => reason);
    expect((error as BuildRefusal).message).to.equal(
      `${failing.slice(0, 12)} cannot be withdrawn: another version of Kiln wrote its migration, and this one would write it differently; build the release that withdraws it with that version`,
    );
  });
});
