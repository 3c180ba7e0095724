import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { openSandbox, ownerLabel } from '../../../pipeline/smoke/sandbox.ts';
import { POSTGRES_IMAGE, skipWithoutImages } from '../../support/runtime-base.ts';

const OWNER = `kiln-test-sandbox-${process.pid}`;
const SLEEPER = { image: POSTGRES_IMAGE, command: ['sleep', '600'], environment: { POSTGRES_PASSWORD: 'x' } };

describe('a sandbox for containers', () => {
  let engine: DockerEngine;

  before(async function () {
    skipWithoutImages(this);
    engine = await DockerEngine.connect();
  });

  const filter = ['--quiet', '--filter', `label=kiln.pipeline=${OWNER}`];
  const listed = (...words: readonly string[]) => execFileSync('docker', [...words, ...filter], { encoding: 'utf8' });

  it('is opened while the engine is still removing what a killed owner has left', async () => {
    const { docker } = engine;
    const killed = await openSandbox(docker, OWNER, []);
    await Promise.all([SLEEPER, SLEEPER, SLEEPER].map((spec) => killed.start(spec)));
    const ids = listed('container', 'ls', '--all').trim().split('\n');
    expect(ids).to.have.length(3);
    // As in the last moment of a test: the engine has heard it, and nobody waits for the answer any more.
    const going = ids.map((id) => docker.getContainer(id).remove({ force: true, v: true }));
    // Of two who remove the same container, either may hear that the other is about it.
    const [sandbox] = await Promise.all([openSandbox(docker, OWNER, []), Promise.allSettled(going)]);
    expect(listed('container', 'ls', '--all')).to.equal('');
    await sandbox.close();
    expect(listed('network', 'ls')).to.equal('');
  });

  it('removes the container in which a killed build was reading an image', async () => {
    const { docker } = engine;
    await docker.createContainer({ Image: POSTGRES_IMAGE, Labels: { ...ownerLabel(OWNER), 'kiln.read': '/x' } });
    const sandbox = await openSandbox(docker, OWNER, []);
    expect(listed('container', 'ls', '--all')).to.equal('');
    await sandbox.close();
  });

  it('takes no container once it is closed, for nobody would remove it', async () => {
    const sandbox = await openSandbox(engine.docker, OWNER, []);
    const closing = sandbox.close();
    await expectRejected(sandbox.start(SLEEPER));
    await closing;
    expect(listed('container', 'ls', '--all')).to.equal('');
  });
});

async function expectRejected(starting: Promise<unknown>): Promise<void> {
  const outcome = await starting.then(
    () => 'started',
    ({ message }: Error) => message,
  );
  expect(outcome).to.equal('the sandbox is closed');
}
