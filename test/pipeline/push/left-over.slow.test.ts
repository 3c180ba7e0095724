/** Who removes what the tests of a push have left in the engine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { BuildQueue } from '../../../pipeline/push/build-queue.ts';
import { LeftOver } from '../../../pipeline/push/left-over.ts';
import { ownerFilter, ownerLabel } from '../../../pipeline/smoke/room.ts';
import { skipWithoutEngine } from '../../support/runtime-base.ts';
import { newRepository } from '../git/git-repository.ts';
import { runKiln } from '../run-kiln.ts';

const FIRST = { branch: 'main', revision: 'a'.repeat(40) };
const LAST = { branch: 'next', revision: 'b'.repeat(40) };
const NEVER = new AbortController().signal;

describe('what the tests of a push have left', () => {
  let engine: DockerEngine;
  let repository: ReturnType<typeof openRepository>;
  let children: ChildProcess[];

  before(async function () {
    skipWithoutEngine(this);
    engine = await DockerEngine.connect();
  });

  beforeEach(async () => {
    repository = openRepository(newRepository());
    children = [];
    const Name = `kiln-test-left-${randomBytes(6).toString('hex')}`;
    await engine.docker.createNetwork({ Name, Labels: ownerLabel(repository.sharedFolder) });
  });

  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const { Id } of await left()) await engine.docker.getNetwork(Id).remove();
  });

  const left = () => engine.docker.listNetworks({ filters: ownerFilter(repository.sharedFolder) });

  /** By a process that does nothing, so that it can be seen who works. */
  function leftOver(words = [process.execPath, '-e', 'setInterval(() => {}, 1000)']): LeftOver {
    const [program = '', ...others] = words;
    return new LeftOver(repository, LAST, () => {
      const child = spawn(program, others, { stdio: 'ignore' }).on('error', () => undefined);
      children.push(child);
      return child;
    });
  }

  it('is handed over once, after the last build, with a ticket that says what it is for', async () => {
    const rest = leftOver();
    await rest.handOver(LAST);
    expect(children, 'nothing is left yet').to.deep.equal([]);
    rest.add();
    await rest.handOver(FIRST);
    expect(children).to.deep.equal([]);
    await rest.handOver(LAST);
    const tickets = new BuildQueue(repository).tickets();
    expect(tickets.map(({ process: { pid }, number, ...build }) => ({ pid, ...build }))).to.deep.equal([
      { pid: children[0]?.pid, ...LAST, isCleanup: true },
    ]);
    expect(await left()).to.have.length(1);
  });

  it('is removed at once where no process can be started', async () => {
    const rest = leftOver(['/nonexistent/node']);
    rest.add();
    await rest.handOver(LAST);
    expect(children).to.have.length(1);
    expect(await left()).to.deep.equal([]);
  });

  it('is removed at once where the process gets no ticket, which is ended', async () => {
    const folder = join(repository.sharedFolder, 'kiln');
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, '');
    const rest = leftOver();
    rest.add();
    await rest.handOver(LAST);
    const [child] = children;
    if (child?.signalCode === null) await once(child, 'exit');
    expect(child?.signalCode).to.equal('SIGKILL');
    expect(await left()).to.deep.equal([]);
  });

  it('is no reason to fail where the engine does not answer', async () => {
    const before = process.env.DOCKER_HOST;
    process.env.DOCKER_HOST = 'unix:///nonexistent/docker.sock';
    try {
      const rest = leftOver(['/nonexistent/node']);
      rest.add();
      await rest.handOver(LAST);
    } finally {
      if (before === undefined) delete process.env.DOCKER_HOST;
      else process.env.DOCKER_HOST = before;
    }
    expect(await left()).to.have.length(1);
  });

  it('is not touched by a process without a ticket, which ends when the queue is empty', async () => {
    const leave = await new BuildQueue(repository).takeTurn(FIRST, () => undefined, NEVER);
    const tidying = runKiln(['pipeline', 'tidy', repository.sharedFolder]);
    const isOver = await Promise.race([tidying.then(() => true), new Promise((go) => setTimeout(go, 1500, false))]);
    expect(isOver).to.equal(false);
    leave();
    expect((await tidying).status).to.equal(0);
    expect(await left()).to.have.length(1);
  });
});
