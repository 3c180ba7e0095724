/**
 * A network of its own with the containers on it. They carry the label of their owner and are removed with their volumes
 * when the sandbox is closed; what an owner that was killed has left is removed when it opens the next sandbox. A container
 * that is kept only leaves the network.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { engineHost, THIS_MACHINE } from '../image/docker-engine.ts';
import { SandboxContainer } from './sandbox-container.ts';

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
  /** The words before the entry point of the image. */
  readonly wrapper?: readonly string[];
  /** The labels of a container that outlives the sandbox. It is removed when it ends by itself. */
  readonly keptAs?: Readonly<Record<string, string>>;
}

/** The script that Node runs instead of that of an image. */
const IDLE = 'setInterval(() => {}, 3600000)';
/** Together half a minute. */
const ATTEMPTS = 300;
const PAUSE = 100;

export class Sandbox {
  readonly #docker: Docker;
  readonly #network: Docker.Network;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #secrets: readonly string[];
  /** The host where ports of the engine's machine are reached. */
  readonly #host = engineHost();
  readonly #containers = new Set<SandboxContainer>();
  readonly #starting: Promise<SandboxContainer>[] = [];
  #isClosed = false;

  private constructor(docker: Docker, network: Docker.Network, owner: string, secrets: readonly string[]) {
    this.#docker = docker;
    this.#network = network;
    this.#labels = ownerLabel(owner);
    this.#secrets = secrets;
  }

  /** Opens a sandbox. `secrets` are shown in no log. An owner has only one open sandbox at a time. */
  static async open(docker: Docker, owner: string, secrets: readonly string[]): Promise<Sandbox> {
    await removeLeftOver(docker, owner);
    const name = `kiln-smoke-${process.pid}-${Date.now().toString(36)}`;
    const network = await docker.createNetwork({ Name: name, Labels: ownerLabel(owner) });
    return new Sandbox(docker, network, owner, secrets);
  }

  start(spec: ContainerSpec): Promise<SandboxContainer> {
    // Nobody would remove the container.
    if (this.#isClosed) return Promise.reject(new Error('the sandbox is closed'));
    const starting = this.#started(spec);
    this.#starting.push(starting);
    return starting;
  }

  async #started(spec: ContainerSpec): Promise<SandboxContainer> {
    const entry = await this.#entryOf(spec.image);
    const options = optionsOf(spec, this.#network.id, this.#labels, this.#host);
    const container = await this.#docker.createContainer({ ...options, ...processOf(spec, entry) });
    const started = new SandboxContainer(container, entry, this.#secrets, this.#host);
    this.#containers.add(started);
    for (const archive of spec.archives ?? []) await container.putArchive(archive, { path: '/' });
    await container.start();
    if (spec.keptAs !== undefined) this.#containers.delete(started);
    return started;
  }

  /** Lets the others find a container that was kept, under this name. Its ports are published again, on other ones. */
  async admit(container: Docker.Container, name: string, secrets: readonly string[]): Promise<SandboxContainer> {
    if (this.#isClosed) throw new Error('the sandbox is closed');
    await this.#network.connect({ Container: container.id, EndpointConfig: { Aliases: [name] } });
    return new SandboxContainer(container, [], [...this.#secrets, ...secrets], this.#host);
  }

  /** How commands of an image begin: with Node and a script. */
  async #entryOf(image: string): Promise<readonly string[]> {
    const { Config } = await this.#docker.getImage(image).inspect();
    return [Config.Entrypoint ?? []].flat();
  }

  /**
   * Closes the sandbox. Whatever the engine does not remove now is removed when the owner opens its next sandbox.
   * `last` runs when only containers that stay for the next build are left in the sandbox.
   */
  async close(last: () => Promise<void> = async () => undefined): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#starting);
    await Promise.allSettled([...this.#containers].map((container) => container.remove()));
    await Promise.allSettled([last()]);
    await Promise.allSettled([removeNetwork(this.#docker, this.#network)]);
  }
}

function processOf(
  { command, wrapper }: ContainerSpec,
  entry: readonly string[],
): Pick<Docker.ContainerCreateOptions, 'Cmd' | 'Entrypoint'> {
  if (command === null) return { Entrypoint: [...entry.slice(0, -1), '-e', IDLE] };
  const Cmd = [...command];
  return wrapper === undefined ? { Cmd } : { Entrypoint: [...wrapper, ...entry], Cmd };
}

function optionsOf(
  { image, environment, name, port, isConfined = false, keptAs }: ContainerSpec,
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
    Labels: keptAs ?? labels,
    // The health check is off: nobody looks at it, and it would start a process every few seconds.
    Healthcheck: { Test: ['NONE'] },
    ExposedPorts: Object.fromEntries(ports.map((each) => [each, {}])),
    HostConfig: {
      NetworkMode: network,
      AutoRemove: keptAs !== undefined,
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
  await Promise.all(networks.map(({ Id }) => removeNetwork(docker, docker.getNetwork(Id)).catch(unlessGoing)));
}

/** Containers that are kept stay, on no network at all. One that does not leave the network goes with it. */
async function removeNetwork(docker: Docker, network: Docker.Network): Promise<void> {
  const { Containers } = (await network.inspect()) as { readonly Containers?: Readonly<Record<string, unknown>> };
  const leaving = Object.keys(Containers ?? {}).map((Container) => network.disconnect({ Container, Force: true }));
  await Promise.allSettled(leaving);
  await network.remove().catch(async (error: { readonly statusCode?: number }) => {
    if (error.statusCode !== STILL_USED) throw error;
    await removeKeptOn(docker, network);
    await network.remove();
  });
}

/** The status of an engine for a network that has containers. */
const STILL_USED = 403;

async function removeKeptOn(docker: Docker, { id }: Docker.Network): Promise<void> {
  const filters = { network: [id], label: [KEPT_LABEL] };
  await removeAll(docker, await docker.listContainers({ all: true, filters }));
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

/** The label of a Postgres that stays for the next build, instead of the other label. It has the owner too. */
export const KEPT_LABEL = 'kiln.postgres';

export function ownerLabel(owner: string): Readonly<Record<string, string>> {
  return { [LABEL]: owner };
}
