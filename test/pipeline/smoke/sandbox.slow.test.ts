import { execFileSync } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Docker from 'dockerode';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { KEPT_LABEL, ownerLabel, Sandbox } from '../../../pipeline/smoke/sandbox.ts';
import { engineSocket } from '../../support/engine-socket.ts';
import { keptPostgres, removeKeptPostgres } from '../../support/kept-postgres.ts';
import { POSTGRES_IMAGE, skipWithoutImages } from '../../support/runtime-base.ts';

const OWNER = `kiln-test-sandbox-${process.pid}`;
const SLEEPER = { image: POSTGRES_IMAGE, command: ['sleep', '600'], environment: { POSTGRES_PASSWORD: 'x' } };

describe('a sandbox for containers', () => {
  let engine: DockerEngine;

  before(async function () {
    skipWithoutImages(this);
    engine = await DockerEngine.connect();
  });

  after(() => removeKeptPostgres(OWNER));

  const filter = ['--quiet', '--filter', `label=kiln.pipeline=${OWNER}`];
  const listed = (...words: readonly string[]) => execFileSync('docker', [...words, ...filter], { encoding: 'utf8' });

  it('is opened while the engine is still removing what a killed owner has left', async () => {
    const { docker } = engine;
    const killed = await Sandbox.open(docker, OWNER, []);
    await Promise.all([SLEEPER, SLEEPER, SLEEPER].map((spec) => killed.start(spec)));
    const ids = listed('container', 'ls', '--all').trim().split('\n');
    expect(ids).to.have.length(3);
    // As in the last moment of a test: the engine has heard it, and nobody waits for the answer any more.
    const going = ids.map((id) => docker.getContainer(id).remove({ force: true, v: true }));
    // Of two who remove the same container, either may hear that the other is about it.
    const [sandbox] = await Promise.all([Sandbox.open(docker, OWNER, []), Promise.allSettled(going)]);
    expect(listed('container', 'ls', '--all')).to.equal('');
    await sandbox.close();
    expect(listed('network', 'ls')).to.equal('');
  });

  it('removes the container in which a killed build was reading an image', async () => {
    const { docker } = engine;
    await docker.createContainer({ Image: POSTGRES_IMAGE, Labels: { ...ownerLabel(OWNER), 'kiln.read': '/x' } });
    const sandbox = await Sandbox.open(docker, OWNER, []);
    expect(listed('container', 'ls', '--all')).to.equal('');
    await sandbox.close();
  });

  it('goes with a container that was to be kept, where that does not leave the network', async () => {
    const kept = { ...SLEEPER, keptAs: { [KEPT_LABEL]: OWNER } };
    await withoutLeaving(async (docker) => {
      await (await Sandbox.open(docker, OWNER, [])).start(kept);
      expect(keptPostgres(OWNER)).to.have.length(1);
      // That one was killed.
      const next = await Sandbox.open(docker, OWNER, []);
      expect(keptPostgres(OWNER)).to.deep.equal([]);
      await next.start(kept);
      await next.close();
    });
    expect([keptPostgres(OWNER), listed('network', 'ls')]).to.deep.equal([[], '']);
  });

  it('takes no container once it is closed, for nobody would remove it', async () => {
    const sandbox = await Sandbox.open(engine.docker, OWNER, []);
    const closing = sandbox.close();
    await expectRejected(sandbox.start(SLEEPER));
    await closing;
    expect(listed('container', 'ls', '--all')).to.equal('');
  });
});

/** An engine behind a proxy that lets no container leave a network. */
async function withoutLeaving(use: (docker: Docker) => Promise<void>): Promise<void> {
  const proxy = createServer((incoming, answer) => {
    const { method, headers, url: path = '' } = incoming;
    if (path.endsWith('/disconnect')) return void answer.writeHead(500).end('{"message":"not now"}');
    const outgoing = request({ socketPath: engineSocket(), method, headers, path }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  try {
    await use(new Docker({ host: '127.0.0.1', port: (proxy.address() as AddressInfo).port }));
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

async function expectRejected(starting: Promise<unknown>): Promise<void> {
  const outcome = await starting.then(
    () => 'started',
    ({ message }: Error) => message,
  );
  expect(outcome).to.equal('the sandbox is closed');
}
