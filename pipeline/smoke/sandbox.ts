/**
 * A network of its own with the containers on it. They carry the label of their owner and are removed with their volumes
 * when the sandbox is closed; what an owner that was killed has left is removed when it opens the next sandbox.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { engineHost, THIS_MACHINE } from '../image/docker-engine.ts';
import { type SandboxContainer, sandboxContainer } from './sandbox-container.ts';

export interface ContainerSpec {
  readonly image: string;
  /** Null where it is to do nothing, until it is told which commands to run. */
  readonly command: readonly string[] | null;
  readonly environment: Readonly<Record<string, string>>;
  /** The name under which the others in the sandbox find it. */
  readonly name?: string;
  /** The port that is published to this machine. */
  readonly port?: number;
  /** Unpacked at `/` before it starts, one after the other. */
  readonly archives?: readonly Buffer[];
  /**
   * Whether it is confined as strictly as an orchestrator may do it: a read-only file system, no privileges, and none
   * to gain.
   */
  readonly isConfined?: boolean;
}

/** The script that Node runs instead of that of an image. */
const IDLE = 'setInterval(() => {}, 3600000)';
/** Together half a minute. */
const ATTEMPTS = 300;
const PAUSE = 100;

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Opens a sandbox. `secrets` are shown in no log. An owner has only one open sandbox at a time. */
export async function openSandbox(docker: Docker, owner: string, secrets: readonly string[]) {
  await removeLeftOver(docker, owner);
  const labels = ownerLabel(owner);
  const name = `kiln-smoke-${process.pid}-${Date.now().toString(36)}`;
  const network = await docker.createNetwork({ Name: name, Labels: labels });
  // The host where ports of the engine's machine are reached.
  const host = engineHost();
  const containers = new Set<SandboxContainer>();
  const starting: Promise<SandboxContainer>[] = [];
  let isClosed = false;

  async function started(spec: ContainerSpec): Promise<SandboxContainer> {
    // Commands of an image begin with Node and a script.
    const entry = [(await docker.getImage(spec.image).inspect()).Config.Entrypoint ?? []].flat();
    const idle = { Entrypoint: [...entry.slice(0, -1), '-e', IDLE] };
    const command = spec.command === null ? idle : { Cmd: [...spec.command] };
    const container = await docker.createContainer({ ...optionsOf(spec, network.id, labels, host), ...command });
    const made = sandboxContainer(container, entry, secrets, host);
    containers.add(made);
    for (const archive of spec.archives ?? []) await container.putArchive(archive, { path: '/' });
    await container.start();
    return made;
  }

  return {
    start(spec: ContainerSpec): Promise<SandboxContainer> {
      // Nobody would remove the container.
      if (isClosed) return Promise.reject(new Error('the sandbox is closed'));
      const own = started(spec);
      starting.push(own);
      return own;
    },

    /** Closes the sandbox. Whatever the engine does not remove now is removed when the owner opens its next sandbox. */
    async close(): Promise<void> {
      isClosed = true;
      await Promise.allSettled(starting);
      await Promise.allSettled([...containers].map((container) => container.remove()));
      await network.remove().catch(() => undefined);
    },
  };
}

function optionsOf(
  { image, environment, name, port, isConfined = false }: ContainerSpec,
  network: string,
  labels: Readonly<Record<string, string>>,
  host: string,
): Docker.ContainerCreateOptions {
  // The ports of an engine on another machine, such as that of a CI job, can only be reached from outside.
  const HostIp = host === THIS_MACHINE ? THIS_MACHINE : '';
  const ports = port === undefined ? [] : [`${port}/tcp`];
  return {
    Image: image,
    Env: Object.entries(environment).map(([variable, value]) => `${variable}=${value}`),
    Labels: labels,
    // The health check is off: nobody looks at it, and it would start a process every few seconds.
    Healthcheck: { Test: ['NONE'] },
    ExposedPorts: Object.fromEntries(ports.map((each) => [each, {}])),
    HostConfig: {
      NetworkMode: network,
      PortBindings: Object.fromEntries(ports.map((each) => [each, [{ HostIp, HostPort: '' }]])),
      ...(isConfined ? { ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] } : {}),
    },
    NetworkingConfig: { EndpointsConfig: { [network]: name === undefined ? {} : { Aliases: [name] } } },
  };
}

/** Removes what sandboxes of the owner that were not closed have left in the engine. */
async function removeLeftOver(docker: Docker, owner: string): Promise<void> {
  const filters = { label: [`${LABEL}=${owner}`] };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const containers = await docker.listContainers({ all: true, filters });
    if (containers.length === 0) break;
    await removeAll(docker, containers);
    await sleep(PAUSE);
  }
  const networks = await docker.listNetworks({ filters });
  await Promise.all(networks.map(({ Id }) => docker.getNetwork(Id).remove().catch(unlessGoing)));
}

async function removeAll(docker: Docker, containers: readonly Docker.ContainerInfo[]): Promise<void> {
  const ids = containers.map(({ Id }) => Id);
  await Promise.all(ids.map((id) => docker.getContainer(id).remove({ force: true, v: true }).catch(unlessGoing)));
}

/** Ignores the error if the object is gone or being removed: a killed process may have asked for that. */
function unlessGoing(error: { readonly statusCode?: number }): void {
  if (error.statusCode !== 404 && error.statusCode !== 409) throw error;
}

// ── Owner label ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** A build labels its containers and networks with its repository. The next build of that repository removes what a killed one has left. */
const LABEL = 'kiln.pipeline';

export function ownerLabel(owner: string): Readonly<Record<string, string>> {
  return { [LABEL]: owner };
}
