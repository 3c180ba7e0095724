import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { buildRelease, checkRelease } from '../../pipeline/bake/build-release.ts';
import { changesSinceRelease } from '../../pipeline/cli/dev.ts';
import { Sides } from '../../pipeline/cli/diff.ts';
import { openRepository } from '../../pipeline/git/repository.ts';
import { appendRelease } from '../../pipeline/ledger/append-release.ts';
import { readLedger } from '../../pipeline/ledger/ledger.ts';
import { Steps } from '../../pipeline/smoke/steps.ts';
import { buildOnce } from '../support/build-once.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from './git/git-repository.ts';
import { KILN, runKilnHere } from './run-kiln.ts';

const API = 'api { entrypoint Post { list endpoint {} } }\n';

function blog(...fields: readonly string[]): Readonly<Record<string, string>> {
  const lines = fields.map((name) => `  field ${name} { type string, default "" }\n`).join('');
  return { 'blog.kiln': `model Post {\n${lines}}\n\n${API}` };
}

const textOfWorkflow = () =>
  readFileSync(new URL('../../pipeline/new/files/project/.github/workflows/kiln.yml', import.meta.url), 'utf8');

async function release(folder: string): Promise<void> {
  const repository = openRepository(folder);
  const revision = gitIn(folder, 'rev-parse', 'HEAD');
  await buildRelease({ repository, revision, branch: 'main', folder: '' }, new Steps(() => undefined));
}

/** On `main`: two releases, and a commit that is not released. */
async function blogWithReleases(): Promise<string> {
  const folder = newRepository();
  for (const fields of [['title'], ['title', 'body']]) {
    write(folder, blog(...fields));
    commit(folder);
    await release(folder);
  }
  write(folder, blog('title', 'body', 'tags'));
  commit(folder);
  return folder;
}

describe('a side of kiln diff', () => {
  let folder: string;
  const sides = (branch?: string) => new Sides(folder, branch);
  const refusal = (side: string) =>
    sides()
      .named(side)
      .then(
        ({ name }) => `nothing is refused: ${name}`,
        ({ message }: Error) => message,
      );

  before(async () => {
    folder = await blogWithReleases();
  });

  it('is the newest release of the branch, the work tree, a release by its position, or a revision', async () => {
    const [, one, two, head] = ['', ...gitIn(folder, 'log', '--reverse', '--format=%H').split('\n')].map((each) =>
      each.slice(0, 12),
    );
    const all = await Promise.all(['.', '@1', 'HEAD', 'HEAD~1', String(one)].map((side) => sides().named(side)));
    expect(
      [sides().newest(), ...all].map(({ name, definition }) => [name, definition().models[0]?.fields.length]),
    ).to.deep.equal([
      [`release 2 of main (${two})`, 3],
      ['the work tree', 4],
      [`release 1 of main (${one})`, 2],
      [`HEAD (${head})`, 4],
      [`HEAD~1 (${two})`, 3],
      [one, 2],
    ]);
  });

  it('is compared with the work tree for the console of kiln dev', async () => {
    const { name, definition: read } = await sides().named('.');
    const definition = read();
    expect(name).to.equal('the work tree');
    const changes = changesSinceRelease(folder, definition);
    expect(changes?.since).to.match(/^release 2 of main \(/);
    expect(changes?.models).to.deep.equal({ Post: { change: 'changed', members: { tags: 'added' } } });
    expect(changes?.api.map(({ level }) => level)).to.deep.equal(['compatible']);
    expect(changes?.data.join('\n')).to.include('tags');
    expect(changesSinceRelease(temporaryFolder(), definition)).to.equal(null);
    expect(changesSinceRelease(newRepository(), definition)).to.equal(null);
  });

  it('has places where its sources are: of a release those of its revision', async () => {
    const place = async (side: string) => {
      const { definition, places } = await sides().named(side);
      return (await places(definition()))?.({ kind: 'model', name: 'Post', member: 'body' });
    };
    const at = { file: `${folder}/blog.kiln`, line: 3, column: 9 };
    expect(await Promise.all(['.', 'HEAD', '@2'].map(place))).to.deep.equal([at, at, at]);
    // It has no such field yet.
    expect(await place('@1')).to.deep.equal({ ...at, line: 1, column: 7 });
  });

  it('is refused with a sentence where there is no such release', async () => {
    expect(await refusal('@9')).to.equal(
      'there is no release 9: `main` has 2 releases, and `kiln pipeline log` lists them',
    );
    expect(await refusal('@0')).to.match(/^there is no release 0/);
    expect(await refusal('--no such name')).to.match(/ as `@3` is, and no image can be called so$/);
    expect(() => sides('nowhere').newest()).to.throw('there is no branch `nowhere`, and no release of one');
  });

  it('is refused where nothing is released yet', () => {
    const empty = newRepository();
    write(empty, blog('title'));
    commit(empty);
    expect(() => new Sides(empty, undefined).newest()).to.throw(
      /^nothing is released on `main` yet; `kiln diff HEAD` compares with the last commit, and `kiln build` makes/,
    );
  });

  it('is refused where it is neither a revision nor an image, and no engine answers', async () => {
    const before = process.env.DOCKER_HOST;
    process.env.DOCKER_HOST = 'tcp://127.0.0.1:1';
    try {
      expect(await refusal('nowhere')).to.equal(
        '`nowhere` is neither a revision of this repository nor a release, as `@3` is, and no Docker engine responds that could have such an image',
      );
    } finally {
      if (before === undefined) delete process.env.DOCKER_HOST;
      else process.env.DOCKER_HOST = before;
    }
  });

  it('is refused where a newer Kiln has recorded the release', async () => {
    const repository = openRepository(folder);
    const revision = gitIn(folder, 'rev-parse', 'HEAD');
    const { texts } = await checkRelease({ repository, revision, branch: 'next', folder: '' });
    const newer = { ...texts, 'definition.json': '{"version":2,"models":"of another shape"}' };
    appendRelease(
      repository,
      { ...readLedger(repository, 'main'), branch: 'next', reference: 'refs/kiln/releases/next', tip: null },
      revision,
      newer,
    );
    expect(() => sides('next').newest().definition()).to.throw(
      'release 3 of next was made by a newer Kiln: its definition has version 2, and this Kiln reads version 1; update Kiln',
    );
  });
});

describe('kiln diff', () => {
  let folder: string;

  before(async () => {
    buildOnce();
    folder = await blogWithReleases();
  });

  it('says plainly that nothing has changed', async () => {
    expect(await runKilnHere(['diff', 'HEAD', '--dir', folder, '--exit-code'])).to.deep.equal({
      status: 0,
      out: `From HEAD (${gitIn(folder, 'rev-parse', 'HEAD').slice(0, 12)}) to the work tree\n\nNo change\n`,
      err: '',
    });
  });

  it('leaves a setting that must be set to operators', async () => {
    const use = 'api Admin { entrypoint Post { list endpoint { filter { title is setting(HOME_TITLE) } } } }\n';
    write(folder, { 'setting.kiln': `setting HOME_TITLE {}\n${use}` });
    const { status, out } = await runKilnHere(['diff', 'HEAD', '--dir', folder, '--exit-code']);
    rmSync(join(folder, 'setting.kiln'));
    expect(status).to.equal(0);
    expect(out).to.include('required  `HOME_TITLE` is new and must be set');
  });

  describe('with --base', () => {
    let topic: string;

    before(() => {
      topic = newRepository();
      write(topic, { ...blog('title'), 'api.kiln': 'api { entrypoint Post { create endpoint {} } }\n' });
      commit(topic);
      gitIn(topic, 'checkout', '--quiet', '-b', 'topic');
      write(topic, { 'api.kiln': '' });
      commit(topic);
      gitIn(topic, 'checkout', '--quiet', 'main');
      write(topic, blog('title', 'body'));
      commit(topic);
      gitIn(topic, 'update-ref', 'refs/remotes/origin/main', 'main');
      gitIn(topic, 'checkout', '--quiet', '--detach', 'topic');
    });

    it('says what a branch changes, and nothing of what its base has got since', async () => {
      const { status, out } = await runKilnHere(['diff', '--base', 'origin/main', '--dir', topic]);
      expect([status, out.split('\n')[0]]).to.deep.equal([
        0,
        `From origin/main (${gitIn(topic, 'rev-parse', 'main~1').slice(0, 12)}) to the work tree`,
      ]);
      expect(out)
        .to.match(/breaking .*POST \/api\/post/)
        .and.not.to.include('body');
    });

    it('is what the workflow of a new project writes into the summary of a pull request', () => {
      const { steps } = parse(textOfWorkflow()).jobs.check;
      const { if: when, run } = steps.find(({ run = '' }: { run?: string }) => run.includes('kiln diff'));
      expect(when).to.equal("github.event_name == 'pull_request'");
      const summary = join(temporaryFolder(), 'summary');
      const command = run.replace('npx --no kiln', `'${process.execPath}' '${KILN}'`);
      const env = { ...process.env, BASE: 'main', GITHUB_STEP_SUMMARY: summary };
      const { status, stderr } = spawnSync('sh', ['-e', '-c', command], { cwd: topic, env, encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
      expect(readFileSync(summary, 'utf8')).to.match(
        /^### What breaks callers\n\n```text\n {2}breaking .*POST \/api\/post/,
      );
    });

    it('shows all of a branch that brings the first sources', async () => {
      const first = newRepository();
      write(first, { 'notes.md': '' });
      commit(first);
      gitIn(first, 'checkout', '--quiet', '-b', 'topic');
      write(first, blog('title'));
      const { status, out, err } = await runKilnHere(['diff', '--base', 'main', '--dir', first]);
      expect(status, err).to.equal(0);
      expect(out).to.match(/^From main \(\w{12}\), which has no sources, to the work tree\n/);
      expect(out).to.match(/compatible +GET \/api\/post is new/);
    });

    it('is refused beside an earlier side, and where there is no such branch', async () => {
      const both = await runKilnHere(['diff', 'HEAD', '--base', 'main', '--dir', topic]);
      expect([both.status, both.err]).to.deep.equal([
        2,
        'error: --base stands for the earlier side, so name none; the later side is the work tree\n',
      ]);
      expect((await runKilnHere(['diff', '--base', 'nowhere', '--dir', topic])).err).to.equal(
        'error: the repository has no revision `nowhere`\n',
      );
    });
  });

  it('says what the change leaves undecided, at its place, and exits with 1 where it is asked to', async () => {
    write(folder, blog('title'));
    const { status, out } = await runKilnHere(['diff', '--dir', folder, '--exit-code']);
    expect(status).to.equal(1);
    expect(out).to.match(/^From release 2 of main \(\w{12}\) to the work tree\n\nAPI\n/);
    expect(out).to.match(
      /\nData\n {2}undecided {2}the field `Post.body` is no longer declared, .*blog.kiln:1\n {13}to rename it/,
    );
    expect(out).to.match(/Data: 1 undecided/);
    const { status: plain, out: json } = await runKilnHere(['diff', '--dir', folder, '--json']);
    expect(plain).to.equal(0);
    const { from, to, data } = JSON.parse(json);
    expect([from.slice(0, 9), to, data.steps]).to.deep.equal(['release 2', 'the work tree', []]);
    expect(data.undecided[0])
      .to.include({ code: 'member-disappeared' })
      .and.have.deep.property('place', {
        file: `${folder}/blog.kiln`,
        line: 1,
        column: 7,
      });
  });

  it('writes a page', async () => {
    const page = join(temporaryFolder(), 'page.html');
    const { status, out } = await runKilnHere(['diff', '@1', '@2', '--dir', folder, '--html', page]);
    expect([status, out, existsSync(page)]).to.deep.equal([0, `Wrote ${page}\n`, true]);
  });

  it('shows what is wrong with a work tree that has errors', async () => {
    write(folder, { 'blog.kiln': 'model Post { field title { type sting } }\n' });
    const { status, out, err } = await runKilnHere(['diff', '--dir', folder]);
    expect([status, out]).to.deep.equal([1, '']);
    expect(err).to.match(/^error\[unknown-type\].*\nerror: the work tree has errors\n$/s);
    rmSync(join(folder, 'blog.kiln'));
    expect((await runKilnHere(['diff', '--dir', folder])).err).to.match(/^error: there are no sources in `.*`/);
  });
});
