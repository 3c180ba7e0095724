import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { buildRelease } from '../../pipeline/bake/build-release.ts';
import { openRepository } from '../../pipeline/git/repository.ts';
import { revisionOf } from '../../pipeline/git/revision.ts';
import { Steps } from '../../pipeline/smoke/steps.ts';
import { buildOnce } from '../support/build-once.ts';
import { createDatabase } from '../support/postgres.ts';
import { projectFolder } from './project-folder.ts';
import { KILN, runKiln, runProgram } from './run-kiln.ts';

describe('kiln migrate --branch', () => {
  const folder = projectFolder({ 'blog.kiln': 'model Post {\n  field title { type string }\n}\n' });

  /** Ends every connection at once: nobody waits for a Postgres like that to come up. */
  const unsociable = createServer((socket) => socket.destroy());
  let server: string;

  before(async () => {
    buildOnce();
    await once(unsociable.listen(0, '127.0.0.1'), 'listening');
    server = `127.0.0.1:${(unsociable.address() as AddressInfo).port}`;
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=K', '-c', 'user.email=k@k', ...words]);
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'first');
  });

  after(() => void unsociable.close());

  async function migrate(...words: readonly string[]) {
    const env = { NO_COLOR: '1', DATABASE_URL: `postgres://nobody@${server}/none` };
    const { status, err } = await runKiln(['migrate', folder, ...words], env);
    return { code: status, err };
  }

  async function release(branch: string): Promise<void> {
    const repository = openRepository(folder);
    const input = { repository, revision: revisionOf(repository, 'HEAD'), branch, folder: repository.folder };
    await buildRelease(input, new Steps(() => undefined));
  }

  it('says that nothing is released yet', async () => {
    expect(await migrate('--branch', 'main')).to.deep.equal({
      code: 1,
      err: 'error: there are no releases on the branch `main`; nothing is released yet: `kiln build` makes a release\n',
    });
  });

  it('names the branches that have releases where one has none', async () => {
    await release('main');
    await release('next');
    expect(await migrate('--branch', 'mian')).to.deep.equal({
      code: 1,
      err: 'error: there are no releases on the branch `mian`; there are releases on `main`, `next`\n',
    });
    expect((await migrate('--branch', 'mian', '--dry-run')).code).to.equal(1);
  });

  it('goes on where the branch has releases', async () => {
    const { code, err } = await migrate('--branch', 'next');
    expect(code).to.equal(5);
    expect(err).to.include(`Postgres cannot be reached at ${server}`);
  });

  it('changes the whole database when nobody reads what it says', async () => {
    const { url, client } = await createDatabase();
    const words = [process.execPath, KILN, 'migrate', folder, '--branch', 'next', '--json'];
    const unread = ['-c', '"$@" | true; exit $PIPESTATUS', 'bash', ...words];
    expect(await runProgram('bash', unread, { DATABASE_URL: url })).to.include({ status: 0, err: '' });
    expect((await client.query('SELECT position FROM kiln_releases')).rows).to.deep.equal([{ position: 1 }]);
  });
});
