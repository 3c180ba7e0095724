import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { BuildQueue, isRunning, ownProcess, type Ticket } from '../../../pipeline/push/build-queue.ts';
import { notBuiltText, pushedBranches } from '../../../pipeline/push/check-push.ts';
import { PushRefusal } from '../../../pipeline/push/settings.ts';
import { until } from '../../support/until.ts';
import { commit, ENVIRONMENT, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { KILN } from '../run-kiln.ts';
import { kiln } from './pushed-project.ts';

const NEVER = new AbortController().signal;
const BUILD = { branch: 'main', revision: 'a'.repeat(40) };

function newQueue(): { readonly queue: BuildQueue; readonly folder: string } {
  const repository = openRepository(newRepository());
  return { queue: new BuildQueue(repository), folder: join(repository.sharedFolder, 'kiln/queue') };
}

describe('the queue of builds', () => {
  it('gives one turn at a time, in the order of arrival, and says for whom it waits', async () => {
    const { queue, folder } = newQueue();
    const order: string[] = [];
    const waited: Ticket[] = [];
    const build = async (revision: string): Promise<void> => {
      const leave = await queue.takeTurn({ branch: 'main', revision }, (ticket) => waited.push(ticket), NEVER);
      order.push(`${revision} begins`);
      // The next one has been told by then, however slow it is.
      await until(() => revision === 'c' || waited.some((ticket) => ticket.revision === revision));
      order.push(`${revision} ends`);
      leave();
    };
    await Promise.all(['a', 'b', 'c'].map(build));
    expect(order).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(waited.map(({ revision }) => revision)).to.include.members(['a', 'b']);
    expect(waited[0]?.process).to.deep.equal(ownProcess());
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('does not wait for processes that are gone, also where another one has their number now', async () => {
    const { queue, folder } = newQueue();
    mkdirSync(folder, { recursive: true });
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    writeFileSync(join(folder, '1'), JSON.stringify({ ...BUILD, process: { pid, began: '1' } }));
    writeFileSync(join(folder, '2'), JSON.stringify({ ...BUILD, process: { pid: process.pid, began: '1' } }));
    const waited: Ticket[] = [];
    const leave = await queue.takeTurn(BUILD, (ticket) => waited.push(ticket), NEVER);
    expect(waited).to.deep.equal([]);
    expect(readdirSync(folder)).to.deep.equal(['3']);
    leave();
  });

  it('takes a process for the one that is meant where nobody knows when that began', () => {
    expect(isRunning({ pid: process.pid, began: null })).to.equal(true);
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    expect(isRunning({ pid, began: null })).to.equal(false);
  });

  it('is as open to others as the repository, whatever the umask of the one who came first', async () => {
    const { queue, folder } = newQueue();
    const repository = dirname(dirname(folder));
    chmodSync(join(repository, 'refs'), 0o2775);
    const umask = process.umask(0o077);
    const leave = await queue.takeTurn(BUILD, () => undefined, NEVER);
    process.umask(umask);
    const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
    expect([dirname(folder), folder, join(folder, '1')].map(modeOf)).to.deep.equal(['2775', '2775', '644']);
    leave();
  });

  it('says in a sentence that it cannot be written', async () => {
    const { queue, folder } = newQueue();
    writeFileSync(dirname(folder), '');
    const refusal = await queue.takeTurn(BUILD, () => undefined, NEVER).catch((error: Error) => error);
    expect(refusal).to.be.instanceOf(PushRefusal);
    expect((refusal as Error).message).to.match(
      /^the queue of builds in `.*queue` cannot be written: a part of its path/,
    );
  });

  it('leaves nothing behind when waiting is called off', async () => {
    const { queue, folder } = newQueue();
    const leave = await queue.takeTurn(BUILD, () => undefined, NEVER);
    const controller = new AbortController();
    const second = queue.takeTurn(BUILD, () => controller.abort(), controller.signal);
    const failed = await second.then(
      () => false,
      () => true,
    );
    expect(failed).to.equal(true);
    leave();
    expect(readdirSync(folder)).to.deep.equal([]);
  });
});

describe('what is pushed', () => {
  const ZERO = '0'.repeat(40);
  const ONE = '1'.repeat(40);

  it('is the branches that are built, without tags and what is deleted', () => {
    const lines = [
      `${ZERO} ${ONE} refs/heads/main`,
      `${ONE} ${ZERO} refs/heads/next`,
      `${ZERO} ${ONE} refs/tags/main`,
      `${ZERO} ${ONE} refs/heads/other`,
      `${ONE} ${ONE} refs/heads/feature/x`,
    ];
    expect(pushedBranches(`${lines.join('\n')}\n`, ['main', 'next', 'feature/x'])).to.deep.equal([
      { branch: 'main', from: null, to: ONE },
      { branch: 'feature/x', from: ONE, to: ONE },
    ]);
    expect(notBuiltText(lines.join('\n'), ['main', 'feature/x'])).to.equal(
      '`other` is not built: this repository builds `main`, `feature/x`',
    );
    expect(notBuiltText(lines.join('\n'), ['main', 'feature/x', 'other'])).to.equal(null);
  });

  it('is refused where another push came first', () => {
    const { bare, revision } = adopted();
    const { status, stdout, stderr } = spawnSync(process.execPath, [KILN, 'pipeline', 'pre-receive'], {
      cwd: bare,
      env: ENVIRONMENT,
      input: `${ZERO} ${revision} refs/heads/main\n`,
      encoding: 'utf8',
    });
    expect(status).to.equal(1);
    expect(stderr).to.equal('error: another push to `main` came first; fetch it, and push again\n');
    expect(stdout).to.equal('The push is rejected. The repository is unchanged.\n');
  });

  it('is refused in the same words where another push is checked at the same time', async () => {
    const { bare, folder } = adopted();
    const clones = [folder, `${folder}-2`, `${folder}-3`];
    for (const clone of clones.slice(1)) gitIn(folder, 'clone', '--quiet', bare, clone);
    for (const clone of clones) commit(clone, clone);
    const env = { ...ENVIRONMENT, DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
    const pushes = clones.map(async (cwd) => {
      const child = spawn('git', ['push', bare, 'main'], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const status = await new Promise((resolve) => child.on('close', resolve));
      return { status, said };
    });
    const lost = (await Promise.all(pushes)).filter(({ status }) => status !== 0);
    expect(lost).to.have.length(2);
    for (const { said } of lost) {
      expect(said).to.include('error: another push to `main` came first; fetch it, and push again');
      expect(said).not.to.include('cannot lock ref');
    }
    expect(readdirSync(join(bare, 'kiln/push-main'))).to.deep.equal([]);
  });

  it('waits until the build before it has recorded its release', async () => {
    const { bare, folder, revision } = adopted();
    const queue = new BuildQueue(openRepository(bare));
    const leave = await queue.takeTurn({ branch: 'main', revision }, () => undefined, NEVER);
    const next = commit(folder, 'Next');
    gitIn(folder, 'push', '--quiet', bare, `${next}:refs/heads/unbuilt`);
    const hook = spawn(process.execPath, [KILN, 'pipeline', 'pre-receive'], { cwd: bare, env: ENVIRONMENT });
    hook.stdin.end(`${revision} ${next} refs/heads/main\n`);
    let said = '';
    hook.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (text.includes('waiting')) leave();
    });
    const status = await new Promise((resolve) => hook.on('close', resolve));
    expect(said).to.match(
      new RegExp(`^waiting for the build of main ${revision.slice(0, 12)} \\(process ${process.pid}\\)\ncheck `),
    );
    expect(status).to.equal(0);
  });
});

/** A repository that had commits before Kiln came. */
function adopted(): { readonly bare: string; readonly folder: string; readonly revision: string } {
  const bare = join(temporaryFolder(), 'blog.git');
  const folder = newRepository();
  write(folder, { 'blog.kiln': 'model Post { field title { type string } }\n' });
  const revision = commit(folder);
  gitIn(folder, 'clone', '--quiet', '--bare', folder, bare);
  kiln('pipeline', 'init', bare);
  return { bare, folder, revision };
}
