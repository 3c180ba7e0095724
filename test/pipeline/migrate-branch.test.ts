import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { buildRelease } from '../../pipeline/bake/build-release.ts';
import { Steps } from '../../pipeline/bake/steps.ts';
import { openRepository } from '../../pipeline/git/repository.ts';
import { revisionOf } from '../../pipeline/git/revision.ts';
import { projectFolder } from './project-folder.ts';

const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');

describe('kiln migrate --branch', function () {
  this.timeout(60_000);
  const folder = projectFolder({ 'blog.kiln': 'model Post {\n  field title { type string }\n}\n' });

  before(() => {
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=K', '-c', 'user.email=k@k', ...words]);
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'first');
  });

  function migrate(...words: readonly string[]) {
    const env = { ...process.env, NO_COLOR: '1', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    const done = spawnSync(process.execPath, [KILN, 'migrate', folder, ...words], { encoding: 'utf8', env });
    return { code: done.status, err: done.stderr };
  }

  async function release(branch: string): Promise<void> {
    const repository = openRepository(folder);
    const input = { repository, revision: revisionOf(repository, 'HEAD'), branch, folder: repository.folder };
    await buildRelease(input, new Steps(() => undefined));
  }

  it('says that nothing is released yet', () => {
    expect(migrate('--branch', 'main')).to.deep.equal({
      code: 1,
      err: 'error: there are no releases on the branch `main`; nothing is released yet: `kiln build` makes a release\n',
    });
  });

  it('names the branches that have releases where one has none', async () => {
    await release('main');
    await release('next');
    expect(migrate('--branch', 'mian')).to.deep.equal({
      code: 1,
      err: 'error: there are no releases on the branch `mian`; there are releases on `main`, `next`\n',
    });
    expect(migrate('--branch', 'mian', '--dry-run').code).to.equal(1);
  });

  it('goes on where the branch has releases', () => {
    const { code, err } = migrate('--branch', 'next');
    expect(code).to.equal(5);
    expect(err).to.include('Postgres cannot be reached at 127.0.0.1:1');
  });
});
