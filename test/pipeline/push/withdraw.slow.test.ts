import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import type { BuildRecord } from '../../../pipeline/bake/build-record.ts';
import { POSTGRES_IMAGE, runtimeBase, skipWithoutImages } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';
import { gitIn } from '../git/git-repository.ts';
import { PushedProject } from './pushed-project.ts';

const API = 'api { entrypoint Post as posts { list endpoint {} create endpoint {} } }';
const populator = (field: string) =>
  `populator Dev { populate Post { repeat as i 3, set ${field} "Post " + i.current } }`;
const FIRST = `model Post { field title { type string } } ${API} ${populator('title')}`;
const UNIQUE = `model Post {
  field heading { type string, unique, was title }
  field size { type integer, backfill length(heading) }
} ${API} ${populator('heading')}`;
const REVERTED = `model Post {
  field title { type string, was heading }
  drop size
} ${API} ${populator('title')}`;

/** The images of three pushes, in containers, on a database whose rows the second one cannot live with. */
describe('a push that withdraws a release', function () {
  this.timeout(180_000);
  let project: PushedProject;

  before(async function () {
    skipWithoutImages(this);
    project = new PushedProject('--base', await runtimeBase(), '--postgres', POSTGRES_IMAGE);
    docker('network', 'create', project.name);
    const account = ['--env', 'POSTGRES_PASSWORD=secret', '--env', 'POSTGRES_DB=blog'];
    docker('run', '--detach', '--network', project.name, '--name', `${project.name}-db`, ...account, POSTGRES_IMAGE);
    await until(() => inDatabase('pg_isready', '--quiet', '--host', '127.0.0.1').status === 0, { limit: 60_000 });
  });

  after(() => {
    if (!project) return;
    docker('rm', '--force', '--volumes', `${project.name}-db`, `${project.name}-first`);
    docker('network', 'rm', project.name);
  });

  function docker(...words: readonly string[]) {
    const { status, stdout, stderr } = spawnSync('docker', words, { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  }

  function inDatabase(...words: readonly string[]) {
    return docker('exec', '--env', 'PGPASSWORD=secret', `${project.name}-db`, ...words);
  }

  function sql(text: string): string {
    const psql = ['psql', '--quiet', '--no-align', '--tuples-only', '--username=postgres', '--dbname=blog'];
    const { status, said } = inDatabase(...psql, '--command', text);
    expect(status, said).to.equal(0);
    return said.trim();
  }

  function image(tag: string, options: readonly string[], ...words: readonly string[]) {
    const address = `DATABASE_URL=postgres://postgres:secret@${project.name}-db:5432/blog`;
    return docker('run', '--network', project.name, '--env', address, ...options, `${project.name}:${tag}`, ...words);
  }

  async function pushed(source: string, message: string) {
    const revision = project.commit({ 'blog.kiln': `${source}\n` }, message);
    const { status, said } = await project.push(['main']);
    expect(status, said).to.equal(0);
    return { tag: revision.slice(0, 12), said, revision };
  }

  it('lets the database go on, and the servers that run', async () => {
    const { tag: first } = await pushed(FIRST, 'Posts');
    expect(image(first, ['--rm'], 'migrate').status).to.equal(0);
    image(first, ['--detach', '--name', `${project.name}-first`]);
    const isReady = () => docker('exec', `${project.name}-first`, 'node', '/kiln/main.mjs', 'health').status === 0;
    await until(isReady, { limit: 30_000 });
    sql(`INSERT INTO post (title) VALUES ('Twice'), ('Twice')`);

    const { tag: second } = await pushed(UNIQUE, 'Unique headings');
    const failed = image(second, ['--rm'], 'migrate');
    expect(failed.status, failed.said).to.equal(1);
    expect(failed.said).to.include(
      `To give release 2 up instead, revert it in a commit with the line \`Withdraws: ${second}\``,
    );

    const { tag: third, said, revision } = await pushed(REVERTED, `Revert "Unique headings"\n\nWithdraws: ${second}`);
    expect(said).to.include(
      `withdraws release 2 (${second}): databases without it come from release 1 without a change`,
    );
    const states = String.raw`not begun; stopped after step 1 of (\d); stopped after step \d of \1`;
    expect(said).to.match(
      new RegExp(
        String.raw`remote: withdrawal +\d+ ms {2}release 2 \(${second}\), from release 1 \(${first}\), filled with Dev: ${states}`,
      ),
    );
    const record = gitIn(project.bare, 'show', `refs/kiln/reports/main:${revision}/build.json`);
    const { verdicts } = JSON.parse(record) as BuildRecord;
    expect(verdicts.find(({ of }) => of === 'withdrawal of release 2')).to.deep.include({
      outcome: 'passed',
      details: [
        '3 records in 1 table, the same in 3 databases',
        `release 1 (${first}): every statement fits the database`,
      ],
    });
    const done = image(third, ['--rm'], 'migrate');
    expect(done.status, done.said).to.equal(0);
    expect(done.said)
      .to.include(`Release 3 withdraws release 2 (${second}): undoing what was begun`)
      .and.include(`the database is at release 3 (${third})`);
    expect(sql('SELECT title FROM post ORDER BY id')).to.equal('Twice\nTwice');
    expect(isReady()).to.equal(true);
    expect(image(second, ['--rm'], 'migrate').status).to.equal(3);
  });
});
