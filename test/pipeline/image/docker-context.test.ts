import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { engineAddress, engineHost, mustBeOnThisMachine } from '../../../pipeline/image/docker-engine.ts';
import { temporaryFolder, write } from '../git/git-repository.ts';

/** A folder of settings as `docker context create` and `docker context use` leave it. */
function settings(currentContext: string, hosts: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  write(folder, { 'config.json': JSON.stringify({ currentContext }) });
  for (const [name, Host] of Object.entries(hosts)) {
    const id = createHash('sha256').update(name).digest('hex');
    const meta = { Name: name, Endpoints: { docker: { Host, SkipTLSVerify: false } } };
    write(folder, { [`contexts/meta/${id}/meta.json`]: JSON.stringify(meta) });
  }
  return folder;
}

describe('the engine that Docker uses', () => {
  const HOSTS = { rootless: 'unix:///run/user/1000/docker.sock', far: 'ssh://ann@build.example.org' };

  it('is that of its context, and of DOCKER_HOST and DOCKER_CONTEXT before it', () => {
    const DOCKER_CONFIG = settings('rootless', HOSTS);
    const socketPath = '/run/user/1000/docker.sock';
    expect(engineAddress({ DOCKER_CONFIG })).to.deep.equal({ socketPath });
    expect(engineAddress({ DOCKER_CONFIG, DOCKER_CONTEXT: 'default' })).to.deep.equal({});
    expect(engineAddress({ DOCKER_CONFIG, DOCKER_HOST: 'unix:///x.sock' })).to.deep.equal({});
    expect(engineAddress({ DOCKER_CONFIG: settings('default', HOSTS), DOCKER_CONTEXT: 'rootless' })).to.deep.equal({
      socketPath,
    });
    for (const none of [settings('', {}), settings('gone', {}), temporaryFolder()])
      expect(engineAddress({ DOCKER_CONFIG: none })).to.deep.equal({});
  });

  it('has to be named where it is on another machine', () => {
    expect(() => engineAddress({ DOCKER_CONFIG: settings('far', HOSTS) })).to.throw(
      "Docker's context `far` has its engine on another machine. Set DOCKER_HOST=ssh://ann@build.example.org to use it",
    );
  });

  it('has to be on this machine for what a push is tested with', () => {
    for (const here of ['unix:///x.sock', 'tcp://localhost:2375', 'tcp://127.0.0.1:2375', 'tcp://[::1]:1', undefined])
      mustBeOnThisMachine(here === undefined ? {} : { DOCKER_HOST: here });
    expect(() => mustBeOnThisMachine({ DOCKER_HOST: 'tcp://docker:2376' })).to.throw(
      'The Docker engine is on docker, ',
    );
    expect(() => mustBeOnThisMachine({ DOCKER_HOST: 'ssh://ann:secret@build.example.org' }))
      .to.throw('The Docker engine is on build.example.org, ')
      .with.property('message')
      .that.does.not.include('secret');
  });

  it('publishes ports on its own machine, where a test reaches them', () => {
    expect(engineHost({})).to.equal('127.0.0.1');
    expect(engineHost({ DOCKER_HOST: 'unix:///x.sock' })).to.equal('127.0.0.1');
    expect(engineHost({ DOCKER_HOST: 'tcp://docker:2376' })).to.equal('docker');
    expect(engineHost({ DOCKER_HOST: 'ssh://ann:secret@build.example.org' })).to.equal('build.example.org');
  });
});
