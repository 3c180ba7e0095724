import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { deploymentsOf, readDeployments, recordDeployment } from '../../../pipeline/ledger/deployments.ts';
import { ENVIRONMENT, gitIn, refusalOf, temporaryFolder } from '../git/git-repository.ts';
import { type ReleasedRepository, releasedRepository } from '../page/released-repository.ts';
import { KILN } from '../run-kiln.ts';
import { kilnHere } from './pushed-project.ts';

describe('what is live where', () => {
  let released: ReleasedRepository;
  const told = (...words: readonly string[]) => kilnHere('pipeline', 'deployed', ...words, '--repo', released.bare);
  const short = (at: number): string => released.revisions[at]?.slice(0, 12) ?? '';

  before(async () => {
    released = await releasedRepository();
  });

  it('is recorded with who and when, and keeps its history', async () => {
    expect((await told()).said).to.include('Nothing is recorded yet.');
    expect(await told('production', short(0), '--by', 'Ann')).to.deep.equal({
      status: 0,
      said: `production runs ${short(0)} of main\n`,
    });
    expect((await told('production', 'main', '--by', 'Bob')).said).to.equal(
      `production runs ${short(2)} of main, after ${short(0)}\n`,
    );
    expect((await told('staging', short(1), '--by', 'Ann\u001b[2J')).status).to.equal(0);
    const [newest, first] = deploymentsOf(released.repository, 'production');
    expect([newest?.who, first?.who, first?.branch]).to.deep.equal(['Bob', 'Ann', 'main']);
    expect((await told('production')).said.split('\n')[0]).to.match(
      new RegExp(`^production {2}${short(2)} {2}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC {2}main, by Bob$`),
    );
    const all = (await told()).said;
    expect(all)
      .to.match(/^production .*\nstaging .*\n$/)
      .and.not.to.include('\u001b');
    expect(gitIn(released.bare, 'log', '--format=%s', 'refs/kiln/deployed/production')).to.equal(
      `production: ${short(2)}\nproduction: ${short(0)}`,
    );
  });

  it('is not recorded twice', async () => {
    expect((await told('production', 'main')).said).to.match(
      new RegExp(`^production runs ${short(2)} already, since \\d{4}`),
    );
    expect(deploymentsOf(released.repository, 'production')).to.have.length(2);
  });

  it('is refused with a sentence where there is no such release, environment or name', async () => {
    expect(await told('production', 'v9')).to.deep.equal({
      status: 1,
      said: 'error: the repository has no revision `v9`\n',
    });
    expect(await told('nowhere')).to.deep.equal({
      status: 1,
      said: 'error: no deployment to `nowhere` is recorded; there are `production`, `staging`\n',
    });
    expect((await told('../main', 'main')).said).to.include('`../main` cannot name an environment; a name has letters');
  });

  it('is added to what was recorded before', () => {
    const { repository } = released;
    const record = (revision: string) =>
      recordDeployment(repository, {
        environment: 'test',
        revision,
        branch: 'main',
        when: new Date(0).toISOString(),
        who: 'a',
      });
    for (const revision of released.revisions) record(revision);
    expect(deploymentsOf(repository, 'test').map(({ revision }) => revision)).to.deep.equal(
      released.revisions.toReversed(),
    );
    expect(readDeployments(repository).map(({ environment }) => environment)).to.include('test');
  });

  it('leaves alone what is not a history of deployments', () => {
    const blob = gitIn(released.bare, 'rev-parse', 'main:blog.kiln');
    gitIn(released.bare, 'update-ref', 'refs/kiln/deployed/odd', blob);
    expect(readDeployments(released.repository).map(({ environment }) => environment)).not.to.include('odd');
    const record = () =>
      recordDeployment(released.repository, {
        environment: 'odd',
        revision: 'a',
        branch: 'main',
        when: new Date(0).toISOString(),
        who: 'a',
      });
    expect(refusalOf(record).message).to.include('is not a history of deployments');
    gitIn(released.bare, 'update-ref', '-d', 'refs/kiln/deployed/odd');
  });

  it('is on the report that `kiln pipeline show --html` writes', async () => {
    const file = join(temporaryFolder(), 'report.html');
    const { status, said } = await kilnHere('pipeline', 'show', short(2), released.bare, '--html', file);
    expect([status, said]).to.deep.equal([0, `${file}\n`]);
    const page = readFileSync(file, 'utf8');
    expect(page).to.include('<h1>Release 3</h1>').and.to.include('live in production').and.to.include('+ Author');
    const recorded = gitIn(released.bare, 'show', `refs/kiln/reports/main:${released.revisions[2]}/report.html`);
    expect(recorded).to.include('<h1>Release 3</h1>').and.not.to.include('live in');
  });

  it('says where the report is, where there is no browser', () => {
    const folder = temporaryFolder();
    symlinkSync(execFileSync('which', ['git'], { encoding: 'utf8' }).trim(), join(folder, 'git'));
    const words = [KILN, 'pipeline', 'show', 'main', released.bare, '--open'];
    const env = { ...ENVIRONMENT, PATH: folder, TMPDIR: folder };
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env });
    expect(status, stderr).to.equal(0);
    expect(stderr).to.equal('No browser could be started: open the file yourself.\n');
    expect(readFileSync(stdout.trim(), 'utf8')).to.include('<h1>Release 3</h1>');
  });

  it('needs a revision, and says so where only the repository is given', async () => {
    const { status, said } = await kilnHere('pipeline', 'show', released.bare);
    expect([status, said]).to.deep.equal([1, 'error: show needs a revision first: kiln pipeline show <rev> [repo]\n']);
  });

  it('says where a report cannot be written', async () => {
    const { status, said } = await kilnHere(
      'pipeline',
      'show',
      'main',
      released.bare,
      '--html',
      '/nowhere/report.html',
    );
    expect(status).to.equal(2);
    expect(said).to.match(/^error: .*\/nowhere/);
  });
});
