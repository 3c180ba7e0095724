import { expect } from 'chai';
import { type BuildRecord, buildRecordFromText } from '../../../pipeline/bake/build-record.ts';
import { buildRelease } from '../../../pipeline/bake/build-release.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { readBuildFile } from '../../../pipeline/ledger/build-files.ts';
import { notesOfBuilt, readJournal } from '../../../pipeline/push/build-journal.ts';
import { type ReportedBuild, writeBuildReport } from '../../../pipeline/push/build-report.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';
import { commit, newRepository, write } from '../git/git-repository.ts';

describe('the report of a build', () => {
  let folder: string;
  let build: ReportedBuild;
  const said: string[] = [];

  before(async () => {
    folder = newRepository();
    write(folder, { 'blog.kiln': 'model Post { field title { type string } }\n' });
    const revision = commit(folder);
    const repository = openRepository(folder);
    const steps = new Steps(() => undefined);
    const built = await buildRelease({ repository, revision, branch: 'main', folder: '' }, steps);
    build = { repository, branch: 'main', built, steps, say: (sentence) => said.push(sentence) };
  });

  function recorded(): BuildRecord | undefined {
    const { repository, branch, built } = build;
    return buildRecordFromText(readBuildFile(repository, branch, built.commit.revision, 'build.json') ?? '');
  }

  it('says why an image has failed, and that it was tested once it has passed', () => {
    writeBuildReport(build, { outcome: 'failed', why: 'it did not start' });
    expect(recorded()).to.deep.include({ outcome: 'failed', why: 'it did not start', image: null });
    writeBuildReport(build, { outcome: 'tested', id: 'sha256:1', names: ['blog:main'], digests: {} });
    expect(recorded()).to.deep.include({ outcome: 'tested', why: null });
  });

  it('stays that of the test where the same image is built again, with its new names', () => {
    writeBuildReport(build, {
      outcome: 'built',
      id: 'sha256:1',
      names: ['blog:main', 'ghcr.io/acme/blog:1'],
      digests: {},
    });
    const { outcome, image } = recorded() ?? {};
    expect([outcome, image?.names]).to.deep.equal(['tested', ['blog:main', 'ghcr.io/acme/blog:1']]);
    writeBuildReport(build, { outcome: 'built', id: 'sha256:2', names: ['blog:main'], digests: {} });
    expect(recorded()).to.deep.include({ outcome: 'built' });
    expect(said).to.deep.equal([]);
  });

  const notesOf = (image: string) => {
    const { repository, branch, built } = build;
    return notesOfBuilt(repository, branch, {
      revision: built.commit.revision,
      outcome: 'built',
      image,
      digests: {},
    });
  };
  const noted = () =>
    readJournal(build.repository, 'main').builds.map((each) => ('image' in each ? each.image : undefined));

  it('is written together with the note in the journal, which is not repeated', () => {
    for (const _ of ['first', 'again'])
      writeBuildReport(build, { outcome: 'built', id: 'sha256:2', names: [], digests: {} }, {}, notesOf('sha256:2'));
    expect(noted()).to.deep.equal(['sha256:2']);
    expect(recorded()?.image?.id).to.equal('sha256:2');
  });

  it('does not fail the build where it cannot be written, and says so', () => {
    write(folder, { '.git/refs/kiln/reports/main.lock': '' });
    writeBuildReport(build, { outcome: 'built', id: 'sha256:3', names: [], digests: {} }, {}, notesOf('sha256:3'));
    expect(noted()).to.deep.equal(['sha256:2', 'sha256:3']);
    expect(said.join()).to.match(
      /^the report was not written: `refs\/kiln\/reports\/main` is held by another process;/,
    );
    expect(recorded()?.image?.id).to.equal('sha256:2');
  });

  it('fails the build where the journal cannot be written', () => {
    write(folder, { '.git/refs/kiln/builds/main.lock': '' });
    const write4 = () =>
      writeBuildReport(build, { outcome: 'built', id: 'sha256:4', names: [], digests: {} }, {}, notesOf('sha256:4'));
    expect(write4).to.throw(/^`refs\/kiln\/builds\/main` is held by another process/);
  });
});
