import { expect } from 'chai';
import { BuildRefusal } from '../../pipeline/bake/build-names.ts';
import { type ReleaseReport, reportFrom } from '../../pipeline/bake/build-record.ts';
import { buildRelease, checkRelease, reasonVerdicts } from '../../pipeline/bake/build-release.ts';
import type { PreparedRelease } from '../../pipeline/bake/release-of-revision.ts';
import type { PlacedDifference } from '../../pipeline/difference/placed-difference.ts';
import { gatesOf } from '../../pipeline/git/project-settings.ts';
import { openRepository } from '../../pipeline/git/repository.ts';
import { recordDeployment } from '../../pipeline/ledger/deployments.ts';
import { showLines } from '../../pipeline/push/release-log.ts';
import { Steps } from '../../pipeline/smoke/steps.ts';
import { commit, gitIn, newRepository, refusalOf, write } from './git/git-repository.ts';

const BLOG = `model Post { field title { type string } }
api { entrypoint Post { list endpoint {} } }
`;

const GUARDED = { 'kiln.json': '{ "contract": "guarded" }' };

const BROKEN: PlacedDifference = {
  api: [
    {
      level: 'breaking',
      rule: 'endpoint-removed',
      endpoint: 'GET /api/post',
      says: 'was removed',
      subject: { kind: 'endpoint', id: 'post.list' },
      place: { file: 'blog.kiln', line: 2, column: 7 },
    },
  ],
  data: { steps: [], later: [] },
  access: [],
  cost: [],
};

describe('the contract gate', () => {
  const silent = () => new Steps(() => undefined);

  function inputOf(folder: string, revision: string) {
    const repository = openRepository(folder);
    return { repository, revision, branch: 'main', folder: repository.folder };
  }

  const made = new Map<string, ReturnType<typeof makeSecond>>();

  /** A release of `message` that follows another one. Tests that read the same one share it. */
  function second(message: string, files: Readonly<Record<string, string>>) {
    const key = JSON.stringify([message, files]);
    const release = made.get(key) ?? makeSecond(message, files);
    made.set(key, release);
    return release;
  }

  async function makeSecond(message: string, files: Readonly<Record<string, string>>) {
    const folder = newRepository();
    write(folder, { 'blog.kiln': BLOG, ...files });
    await buildRelease(inputOf(folder, commit(folder, 'First\n\nBreaking: of the previous release')), silent());
    write(folder, { 'notes.txt': message });
    commit(folder, message);
    const input = inputOf(folder, commit(folder, 'Last'));
    return { input, release: await checkRelease(input) };
  }

  /** As if the sources had removed an endpoint. */
  function broken(release: PreparedRelease): PreparedRelease {
    return { ...release, difference: BROKEN };
  }

  it('refuses a breaking change without a reason, with all of them and what to do', async () => {
    const { input, release } = await second('No reason', GUARDED);
    let refusal: unknown;
    try {
      reasonVerdicts(input, broken(release));
    } catch (error) {
      refusal = error;
    }
    expect(refusal).to.be.instanceOf(BuildRefusal);
    const { message, shown } = refusal as BuildRefusal;
    expect(shown).to.equal('breaking  GET /api/post: was removed  blog.kiln:2');
    expect(message).to.equal(
      '1 change breaks callers of the API, and `kiln.json` has `"contract": "guarded"`; undo it, or give the reason: end a commit message with the line `Breaking: <reason>` (`git commit --amend`)',
    );
  });

  it('lets it through with a reason in any commit of the push, which the release records', async () => {
    const { input, release } = await second('Reason\n\nBreaking: nobody calls it', GUARDED);
    expect(release.breaking).to.deep.equal(['nobody calls it']);
    expect(() => reasonVerdicts(input, broken(release))).not.to.throw();
    const { difference, breaking } = JSON.parse(release.texts['report.json']) as ReleaseReport;
    expect(breaking).to.deep.equal(['nobody calls it']);
    expect(difference).to.deep.equal({ ...BROKEN, api: [] });
  });

  it('lets it through where the contract is not guarded', async () => {
    const { input, release } = await second('No reason', {});
    expect(() => reasonVerdicts(input, broken(release))).not.to.throw();
  });

  it('lets compatible changes through, and what was recorded before', async () => {
    const { input, release } = await second('No reason', GUARDED);
    expect(() => reasonVerdicts(input, release)).not.to.throw();
    expect(() => reasonVerdicts(input, { ...broken(release), isRecorded: true })).not.to.throw();
  });

  it('gives a verdict for the report', async () => {
    const { input, release } = await second('Reason\n\nBreaking: nobody calls it', {});
    expect(reasonVerdicts(input, release)[0]?.outcome).to.equal('passed');
    expect(reasonVerdicts(input, { ...release, difference: null })[0]?.outcome).to.equal('skipped');
    expect(reasonVerdicts(input, broken(release))[0]).to.deep.equal({
      of: 'contract',
      outcome: 'warned',
      says: '1 change breaks callers of the API',
      details: ['reason: nobody calls it', 'breaking  GET /api/post: was removed  blog.kiln:2'],
    });
  });

  it('of an earlier version of Kiln, which left out what was empty, are read', () => {
    const report = reportFrom('{"application":"blog"}');
    expect(report).to.deep.include({ application: 'blog', since: null, difference: null, gates: [], breaking: [] });
  });

  it('is shown with the release afterwards', async () => {
    const { input } = await second('Reason\n\nBreaking: nobody calls it', GUARDED);
    await buildRelease(input, silent());
    const lines = showLines(input.repository, input.revision, ['main']);
    expect(lines).to.include('reason for breaking changes: nobody calls it');
    expect(lines[lines.indexOf('API') + 1]).to.equal('  no change');
  });
});

const RULES = `model Post { field title { type string } }
model User { field email { type string, unique }  field hash { type string, secret } }
auth { model User, login email, password hash, register off }
api { entrypoint Post { list endpoint { RULE } } }
`;
const SIGNED_IN = RULES.replace('RULE', 'authorize { @auth is not null }');
const ANYONE = RULES.replace('RULE', '');
const OTHER = RULES.replace('RULE', 'authorize { @auth.email is "ada@example.com" }');
const ANOTHER = RULES.replace('RULE', 'authorize { @auth.email is "bob@example.com" }');

const WHEN = '2026-01-02T03:04:05.000Z';

describe('gates', () => {
  async function released(folder: string, files: Readonly<Record<string, string>>, message: string) {
    write(folder, files);
    const repository = openRepository(folder);
    const input = { repository, revision: commit(folder, message), branch: 'main', folder: '' };
    const told: string[] = [];
    const steps = new Steps((line) => told.push(line));
    return buildRelease(input, steps).then(
      ({ release }) => ({ ...input, release, verdicts: steps.verdicts, told: told.join('\n'), refusal: '' }),
      (error: Error) => ({ ...input, release: undefined, verdicts: [], told: '', refusal: error.message }),
    );
  }

  it('of access needs a reason for a rule that is weaker, and for one that cannot be compared', async () => {
    const folder = newRepository();
    const reviewed = { 'kiln.json': '{ "access": "reviewed" }' };
    await released(folder, { 'blog.kiln': OTHER, ...reviewed }, 'First');
    expect((await released(folder, { 'blog.kiln': ANOTHER }, 'Another')).refusal).to.equal(
      '1 rule of access cannot be compared with what it was, and `kiln.json` has `"access": "reviewed"`; undo it, or give the reason: end a commit message with the line `Access: <reason>` (`git commit --amend`)',
    );
    const { release, told, verdicts } = await released(
      folder,
      { 'blog.kiln': ANYONE },
      'Open\n\nAccess: posts are public',
    );
    expect(told).to.include('reason for rules of access: posts are public');
    expect(release?.reviewed).to.deep.equal(['posts are public']);
    expect((JSON.parse(release?.texts['report.json'] ?? '') as ReleaseReport).reviewed).to.deep.equal([
      'posts are public',
    ]);
    expect(verdicts.find(({ of }) => of === 'rules of access')?.outcome).to.equal('warned');
    expect((await released(folder, { 'blog.kiln': SIGNED_IN }, 'Stricter')).refusal).to.equal('');
  });

  it('hold for what is live, until a commit since then gives the reason', async () => {
    const folder = newRepository();
    const { repository, revision } = await released(folder, { 'blog.kiln': SIGNED_IN }, 'First');
    recordDeployment(repository, { environment: 'production', revision, branch: 'main', when: WHEN, who: 'ada' });
    await released(folder, { 'blog.kiln': ANYONE }, 'Open, while there was no gate');
    gitIn(folder, 'config', 'kiln.access', 'reviewed');
    const live = `release 1 (${revision.slice(0, 12)}), live in production`;
    expect((await released(folder, { 'a.md': '' }, 'Nothing')).refusal).to.include(
      `since ${live}, 1 rule of access is weaker, and the repository has`,
    );
    const { verdicts } = await released(folder, { 'b.md': '' }, 'Nothing\n\nAccess: posts are public');
    expect(verdicts.find(({ of }) => of === 'rules of access')?.details[0]).to.equal('reason: posts are public');
    expect((await released(folder, { 'c.md': '' }, 'Nothing more')).refusal).to.equal('');
  });

  it('of the repository cannot be removed by a push, and a change of either is told', async () => {
    const folder = newRepository();
    await released(folder, { 'blog.kiln': SIGNED_IN, 'kiln.json': '{ "contract": "guarded" }' }, 'First');
    gitIn(folder, 'config', 'kiln.access', 'reviewed');
    const second = await released(folder, { 'kiln.json': '{}' }, 'No gate in the project');
    expect(second.told).to.include(
      'the gate `contract` is off now; `git config kiln.contract guarded` in the repository would keep it on',
    );
    expect(second.told).to.include('the gate `access` is on now: the repository has `git config kiln.access reviewed`');
    expect((await released(folder, { 'blog.kiln': ANYONE }, 'Open')).refusal).to.include(
      'and the repository has `git config kiln.access reviewed`',
    );
    gitIn(folder, 'config', 'kiln.access', 'off');
    expect((await released(folder, { 'a.md': '' }, 'Wrong')).refusal).to.equal(
      '`git config kiln.access` of the repository can only be `reviewed`; unset it where the gate is off',
    );
    gitIn(folder, 'config', '--unset', 'kiln.access');
    const last = await released(folder, { 'b.md': '' }, 'Unset');
    expect(last.told).to.include('the gate `access` is off now');
  });
});

describe('the settings of a project', () => {
  it('are refused where they are misspelt or wrong', async () => {
    const folder = newRepository();
    const refused = (text: string) => {
      write(folder, { 'kiln.json': text });
      const input = { repository: openRepository(folder), revision: commit(folder), folder: '' };
      return refusalOf(() => gatesOf(input.repository, input.revision, input.folder)).message;
    };
    expect(refused('{ "contract": true }')).to.match(
      /^`contract` in `kiln.json` can only be `"guarded"`; leave it out/,
    );
    expect(refused('{ "contrat": "guarded" }')).to.equal(
      '`kiln.json` has an unknown setting `contrat`; did you mean `contract`?',
    );
    expect(refused('{ "toString": 1 }')).to.match(/unknown setting `\w+`; there are `name`, `contract`/);
  });
});
