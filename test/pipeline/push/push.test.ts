import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import type { BuildRecord } from '../../../pipeline/bake/build-record.ts';
import { POSTGRES_IMAGE, runtimeBase, skipWithoutImages } from '../../support/runtime-base.ts';
import { itInBoth, itSlowly } from '../../support/slow.ts';
import { gitIn } from '../git/git-repository.ts';
import { Registry, registryProgram } from '../image/registry.ts';
import { kiln, PushedProject } from './pushed-project.ts';
import { FIRST, HOOKED, LOST, RENAMED, SETTLED } from './pushed-sources.ts';

describe('a push', () => {
  let project: PushedProject;

  before(async function () {
    skipWithoutImages(this);
    project = new PushedProject(
      '--branch',
      'main',
      'next',
      '--base',
      await runtimeBase(),
      '--postgres',
      POSTGRES_IMAGE,
    );
  });

  afterEach(function () {
    // One that was left out has no project.
    if (project && this.currentTest?.state === 'passed') expect(project.remains()).to.equal('');
  });

  itInBoth('becomes a release and a tested image with two tags, told step by step', async () => {
    const revision = project.commit(FIRST, 'First');
    const lines: string[] = [];
    const { status, said } = await project.push(['main'], (line) => lines.push(line));
    expect(status, said).to.equal(0);
    expect(lines.map((line) => /^remote: (\w+) +\d+ ms/.exec(line)?.[1]).filter(Boolean)).to.deep.equal([
      'check',
      'compile',
      'compare',
      'layer',
      'record',
      'bake',
      'postgres',
      'migrate',
      'ready',
      'statements',
      'plans',
      'requests',
      'stop',
      'tag',
    ]);
    expect(said).to.match(/plans +\d+ ms {2}\d+ endpoints? checked, no index is missing/);
    const images = project.images();
    expect(Object.keys(images)).to.have.members([revision.slice(0, 12), 'main']);
    expect(images.main).to.equal(images[revision.slice(0, 12)]);
    expect(said).to.include(`${images.main}`);
    expect(gitIn(project.bare, 'log', '--format=%s', 'refs/kiln/releases/main')).to.include(revision.slice(0, 12));
    const record = buildRecord(revision);
    expect(record).to.deep.include({ revision, outcome: 'tested', why: null });
    expect(record.image?.id).to.equal(images.main);
    expect(record.image?.names).to.deep.equal([`${project.name}:${revision.slice(0, 12)}`, `${project.name}:main`]);
    const page = gitIn(project.bare, 'show', `refs/kiln/reports/main:${revision}/report.html`);
    expect(page).to.include('<h1>First</h1>').and.to.include('passed its test').and.to.include(images.main);
    expect(record.steps.map(({ name }) => name)).to.include.members(['compile', 'bake', 'migrate', 'requests', 'tag']);
    const waited = kiln('pipeline', 'wait', project.bare, revision);
    expect(waited).to.deep.equal({ status: 0, said: `main ${revision.slice(0, 12)} is tested: ${images.main}\n` });
    const left = (file: string) =>
      JSON.parse(gitIn(project.bare, 'show', `refs/kiln/reports/main:${revision}/${file}`));
    expect(`sha256:${left('provenance.json').subject[0].digest.sha256}`).to.equal(images.main);
    expect(left('sbom.cdx.json').components.map(({ name }: { name: string }) => name)).to.include('pg');
    const verified = kiln('verify', `${project.name}:main`, project.bare, '--base', await runtimeBase());
    expect(verified.said).to.match(/^verified: /);
  });

  function buildRecord(revision: string): BuildRecord {
    return JSON.parse(gitIn(project.bare, 'show', `refs/kiln/reports/main:${revision}/build.json`)) as BuildRecord;
  }

  /** Pushes what has to be refused, and takes the commit back. */
  async function refused(files: Readonly<Record<string, string>>): Promise<string> {
    const before = { references: project.references(), images: project.images() };
    const revision = project.commit(files, 'Refused');
    const { status, said } = await project.push(['main']);
    gitIn(project.folder, 'reset', '--quiet', '--hard', 'HEAD~1');
    expect(status).to.equal(1);
    expect(said).to.include('The push is rejected. The repository is unchanged.');
    expect({ references: project.references(), images: project.images() }).to.deep.equal(before);
    expect(() => gitIn(project.bare, 'cat-file', '-e', revision)).to.throw();
    return said;
  }

  it('is refused without a trace where it does not compile, with the place of the mistake', async () => {
    const said = await refused({ 'models.kiln': 'model Post { reference author { to Usr } }\n' });
    expect(said).to.include('error[unknown-model]').and.to.include('--> models.kiln:1:36');
  });

  it('is refused where data would be lost, with both ways out', async () => {
    const said = await refused(LOST);
    expect(said).to.include('to rename it and keep its values, write `was title` in `other`');
    expect(said).to.include('to delete it with its values, write `drop title` in `Post`');
  });

  it('is refused where the code of its hooks cannot be bundled', async () => {
    const files = { ...HOOKED, 'models.kiln': HOOKED['models.kiln'].replaceAll('headline', 'title') };
    const said = await refused({
      ...files,
      'hooks/loud.js': `import './nowhere.js';\nexport const loud = ({ n }) => import(\`${'../'.repeat(20)}proc/self/envir\${n}\`);\n`,
    });
    expect(said).to.include('the code of hooks cannot be bundled').and.to.include('nowhere.js');
    expect(said).to.include('/proc/self/envir');
  });

  itSlowly('does nothing for other branches, which it says, for tags and for what is deleted', async () => {
    const images = project.images();
    gitIn(project.folder, 'tag', 'v1');
    const { status, said } = await project.push(['main:refs/heads/other', 'v1']);
    expect(status, said).to.equal(0);
    const deleted = await project.push([':refs/heads/other', ':refs/tags/v1']);
    expect(deleted.status).to.equal(0);
    const told = (said + deleted.said).split('\n').filter((line) => line.startsWith('remote:'));
    expect(told.map((line) => line.trim().replace(/(?<=builds ).*/, '…'))).to.deep.equal([
      'remote: `other` is not built: this repository builds …',
    ]);
    expect(project.images()).to.deep.equal(images);
    expect(project.references()).not.to.include('other');
  });

  itSlowly('that was killed is resumed, and gives the image that it would have given', async () => {
    const revision = project.commit(RENAMED, 'Rename');
    const before = project.images();
    await project.push(['main'], (line) => {
      if (line.includes('remote: postgres')) process.kill(project.builder(), 'SIGKILL');
    });
    expect(project.images().main).to.equal(before.main);
    expect(kiln('pipeline', 'log', project.bare).said).to.match(
      /Rename\n( +database .*\n)* +database +rename the column.*\n.*\n +image +not built/,
    );
    const calledOff = await project.resume((line, child) => {
      if (line.startsWith('postgres')) child.kill('SIGINT');
    });
    expect(calledOff.status).to.equal(1);
    expect(calledOff.said).to.include('error: it was cancelled');
    expect(kiln('pipeline', 'wait', project.bare).said).to.equal(
      `error: main ${revision.slice(0, 12)} is not built: it was cancelled. \`kiln pipeline resume\` in its repository builds it\n`,
    );
    expect([project.remains(), project.images()]).to.deep.equal(['', before]);
    const { status, said } = await project.resume();
    expect(status, said).to.equal(0);
    expect(said).to.match(/upgrade .* a database of \w+, filled with Dev/);
    expect(said).to.include('\n  locks "post": reads and writes wait for a moment\n');
    expect(said).to.match(/\n {2}safe beside release 1: /);
    expect(said).to.match(/\nbeside .* release 1/);
    const clone = `${project.folder}-clone/${project.name}`;
    gitIn(project.folder, 'clone', '--quiet', project.bare, clone);
    gitIn(clone, 'fetch', '--quiet', 'origin', 'refs/kiln/*:refs/kiln/*');
    const images = ['--base', await runtimeBase(), '--test', POSTGRES_IMAGE];
    const built = kiln('build', clone, ...images, '--tag', `${project.name}:again`);
    expect(built.said)
      .to.match(/\nupgrade .*\n(.*\n)*stop .* SIGTERM, exit code 0\n/)
      .and.to.match(/\nbeside .* release 1/);
    const { main, again, ...others } = project.images();
    expect(built.said).to.include(`${again}`);
    expect(main).to.equal(again);
    expect(others[revision.slice(0, 12)]).to.equal(main);
    expect(others).not.to.have.property(`untested-${revision.slice(0, 12)}`);
  });

  itSlowly('that was killed is picked up by the next one, though its pusher goes away meanwhile', async () => {
    const killed = project.commit({ ...SETTLED, 'a.md': '' }, 'Killed');
    await project.push(['main'], (line) => {
      if (line.includes('remote: bake')) process.kill(project.builder(), 'SIGKILL');
    });
    const next = project.commit({ 'b.md': '' }, 'Next');
    await project.push(['main'], (line, child) => {
      if (line.includes('remote: postgres')) child.kill('SIGKILL');
    });
    await project.idle();
    const images = project.images();
    expect(images).to.include.keys(killed.slice(0, 12), next.slice(0, 12));
    expect(images.main).to.equal(images[next.slice(0, 12)]);
    expect(kiln('pipeline', 'resume', project.bare).said).to.include('nothing is left to do');
  });

  itSlowly('removes its containers before it ends', async () => {
    project.commit({ 'left.md': '' }, 'Left');
    const { said } = await project.push(['main']);
    const revision = gitIn(project.folder, 'rev-parse', 'main');
    expect(said).to.include(`${project.name}:${revision.slice(0, 12)} is sha256:`);
    expect(kiln('pipeline', 'log', project.bare).said).to.match(/ {2}Left\n( +(database|api) .*\n)* +image +sha256:/);
    expect(project.remains()).to.equal('');
    expect(said).to.match(/ \(\d+\.\d s\) *\n/);
  });

  itSlowly('of two branches leaves nothing', async () => {
    const two = new PushedProject('--branch', 'a', 'b', '--base', await runtimeBase(), '--postgres', POSTGRES_IMAGE);
    two.commit(FIRST, 'First');
    const { said } = await two.push(['HEAD:refs/heads/a', 'HEAD:refs/heads/b']);
    expect(said).not.to.include('waiting for');
    const images = two.images();
    expect(images.a).to.be.a('string').and.to.equal(images.b);
    expect(two.remains()).to.equal('');
  });

  itSlowly('whose image fails its test moves no tag, and says why with the log of the container', async () => {
    const before = project.images();
    const code = "export const loud = () => 'loud';\nthrow new Error('no luck today');\n";
    const revision = project.commit({ ...HOOKED, 'hooks/loud.js': code }, 'Unlucky');
    const { status, said } = await project.push(['main']);
    expect(status).to.equal(0);
    expect(said).to.include('error: `serve` ended with 1 before it was ready').and.to.include('no luck today');
    expect(said).not.to.match(/postgres:\/\/\w+:[0-9a-f]/);
    expect(project.images()).to.deep.equal(before);
    const lines = said.split('\n').filter((line) => line.startsWith('remote:'));
    expect(lines.at(-1)).to.match(
      /^remote: error: `main` is at \w+, but that has no tested image, and no tag was moved/,
    );
    expect(lines.at(-1)).to.include(`Commit a fix and push it`).and.to.include(`kiln pipeline resume ${project.bare}`);
    gitIn(project.folder, 'fetch', '--quiet', project.bare, 'refs/kiln/status/main');
    const told = JSON.parse(gitIn(project.folder, 'show', 'FETCH_HEAD'));
    expect(told).to.deep.equal({ revision, outcome: 'failed', why: '`serve` ended with 1 before it was ready.' });
    const waited = kiln('pipeline', 'wait', project.bare, revision);
    expect(waited.status).to.equal(1);
    expect(waited.said).to.equal(
      `error: main ${revision.slice(0, 12)} failed: \`serve\` ended with 1 before it was ready\n`,
    );
    expect(kiln('pipeline', 'log', project.bare).said).to.include('image     failed: `serve` ended with 1');
    expect(kiln('pipeline', 'show', revision.slice(0, 10), project.bare).said).to.match(/\nAPI\n.* GET \/api\/post/);
    const { outcome, why, image } = buildRecord(revision);
    expect([outcome, image]).to.deep.equal(['failed', null]);
    expect(why).to.include('`serve` ended with 1 before it was ready').and.not.to.include('no luck today');
  });

  itSlowly('back to an old release is refused, since a database cannot go back', async () => {
    const before = { references: project.references(), images: project.images() };
    const old = gitIn(project.folder, 'log', '--format=%H', '--grep=^Rename', 'main');
    const newest = gitIn(project.folder, 'log', '--format=%h', '--abbrev=12', '--grep=^Left', 'main');
    const { status, said } = await project.push(['--force', `${old}:main`]);
    expect(status).to.equal(1);
    expect(said).to.include(
      `\`main\` cannot go back to ${old.slice(0, 12)}: release 5 (${newest}) is newer, and a database`,
    );
    expect(said).to.include('revert it in a new commit and push that');
    expect({ references: project.references(), images: project.images() }).to.deep.equal(before);
  });

  itSlowly('waits in a queue while another one is built, and is compared with what that one recorded', async () => {
    const fixed = project.commit({ 'hooks/loud.js': 'export const loud = ({ headline }) => headline;\n' }, 'Fixed');
    gitIn(project.folder, 'branch', 'next');
    let second: Promise<{ readonly status: number | null; readonly said: string }> | undefined;
    const first = await project.push(['main'], (line) => {
      if (line.includes('remote: compile')) second ??= project.push(['next']);
    });
    const { status, said } = (await second) ?? first;
    expect([first.status, status]).to.deep.equal([0, 0]);
    expect(said)
      .to.include(`waiting for the build of main ${fixed.slice(0, 12)}`)
      .and.to.include('released before');
    const images = project.images();
    expect([images.main, images.next]).to.deep.equal([images[fixed.slice(0, 12)], images[fixed.slice(0, 12)]]);
    expect(first.said).not.to.include('no luck');
    expect(first.said).to.match(/compared with release 5, because release 6 \(\w+\) failed/);
    expect(first.said).to.match(/beside .* release 5 \(\w+\): every statement fits the database/);
  });

  itSlowly('runs the image of the previous release beside the new one, or says that the engine has none', async () => {
    const before = gitIn(project.folder, 'rev-parse', 'main').slice(0, 12);
    const revision = project.commit({ 'beside.md': '' }, 'Beside');
    const nowhere = `127.0.0.1:${await freePort()}/${project.name}`;
    kiln('pipeline', 'init', project.bare, '--push', nowhere);
    const { said } = await project.push(['main']);
    kiln('pipeline', 'init', project.bare, '--no-push');
    mustHaveStayed(said, revision, nowhere);
    expect(said).to.match(
      new RegExp(`beside .* release 7 \\(${before}\\): every statement fits the database, 1 list answered`),
    );
    project.removeImage(revision.slice(0, 12));
    const tag = project.commit({ 'again.md': '' }, 'Again').slice(0, 12);
    const registry = await startedRegistry();
    const there = `${registry?.host}/${project.name}`;
    if (registry) kiln('pipeline', 'init', project.bare, '--push', there);
    const again = await project.push(['main']);
    kiln('pipeline', 'init', project.bare, '--no-push');
    removeNames(there, tag, 'main');
    const missing = `${project.name}:${revision.slice(0, 12)}`;
    expect(again.said).to.include(
      `release 8 (${revision.slice(0, 12)}): every statement fits the database; not run, since the engine has no ${missing}`,
    );
    if (registry === undefined) return;
    expect(again.said).to.match(new RegExp(`push .*${there}:${tag}@sha256:\\w+ *\\n.*push .*${there}:main@sha256:`));
    const manifest = await registry.manifest(project.name, tag);
    expect(manifest?.config.digest).to.equal(project.images().main);
    expect(await registry.manifest(project.name, 'main')).to.deep.equal(manifest);
    await registry.stop();
  });

  async function startedRegistry(): Promise<Registry | undefined> {
    const program = registryProgram();
    return program === undefined ? undefined : Registry.start(program);
  }

  /** What is told where the registry does not answer. The image is tested and tagged, so it is there. */
  function mustHaveStayed(said: string, revision: string, there: string): void {
    const tag = revision.slice(0, 12);
    removeNames(there, tag, 'main');
    expect(said).to.include(`error: ${there}:${tag} is not pushed: `).and.to.include(' does not respond. Check ');
    const [last = ''] = said.split('\n').filter((line) => line.startsWith('remote: error: `main`'));
    expect(last).to.include(
      `\`main\` is at ${tag}, whose image is tested and tagged here, but not pushed to its registry. To try again: kiln`,
    );
    expect(project.images().main).to.equal(project.images()[tag]);
    expect(kiln('pipeline', 'log', project.bare).said).to.match(/image {5}sha256:\w+, not pushed: 127/);
    const waited = kiln('pipeline', 'wait', project.bare, revision);
    expect(waited.status).to.equal(1);
    expect(waited.said).to.include(`error: main ${tag} is tested, but its image is not in the registry: `);
  }

  function removeNames(repository: string, ...tags: readonly string[]): void {
    for (const tag of tags) spawnSync('docker', ['image', 'rm', `${repository}:${tag}`], { stdio: 'ignore' });
  }

  itSlowly('is refused where a release was recorded that it does not contain', async () => {
    gitIn(project.folder, 'checkout', '--quiet', '-b', 'side');
    const side = project.commit({ 'c.md': '' }, 'Elsewhere');
    await project.push(['side']);
    kiln(
      'build',
      project.bare,
      '--rev',
      side,
      '--branch',
      'main',
      '--base',
      await runtimeBase(),
      '--tag',
      `${project.name}:side`,
    );
    gitIn(project.folder, 'checkout', '--quiet', 'main');
    const said = await refused({ 'd.md': '' });
    expect(said).to.include(`the newest release of \`main\` is ${side.slice(0, 12)}, which this push does not contain`);
  });

  itSlowly('is listed by `log` and shown by `show`, with the SQL and its hazards', () => {
    const { said } = kiln('pipeline', 'log', project.bare, 'main');
    expect(
      said
        .split('\n')
        .filter((line) => /^\w{12} {2}\d{4}/.test(line))
        .map((line) => line.split('  ').at(-1)),
    ).to.deep.equal(['Elsewhere', 'Again', 'Beside', 'Fixed', 'Unlucky', 'Left', 'Next', 'Killed', 'Rename', 'First']);
    expect(said).to.include('  database  make all tables\n  api       2 added\n  image     sha256:');
    const rename = gitIn(project.folder, 'log', '--format=%H', '--grep=Rename', 'main');
    const shown = kiln('pipeline', 'show', rename, project.bare).said;
    expect(shown).to.match(/\nDatabase\n {2}locks "post": .*\n {2}safe beside release 1: /);
    expect(shown).to.include(
      '--   lock: "post", ACCESS EXCLUSIVE\nALTER TABLE "post" RENAME COLUMN "title" TO "headline";',
    );
    expect(kiln('pipeline', 'show', `${rename}~1`, project.folder).said).to.include('is not a release');
  });

  itSlowly('gives images that can be compared, with each other and with the work tree', async () => {
    const [image, folder] = [`${project.name}:main`, project.folder];
    expect(kiln('diff', image, image, '--dir', folder).said).to.equal(
      `From the image ${image} to the image ${image}\n\nNo change\n`,
    );
    expect(kiln('diff', image, 'HEAD', '--dir', folder).said).to.match(/ to HEAD \(\w+\)\n\nNo change\n$/);
    const base = await runtimeBase();
    expect(kiln('diff', base, '--dir', folder)).to.deep.equal({
      status: 1,
      said: `error: \`${base}\` is not an image of an application that Kiln has built\n`,
    });
  });
});
