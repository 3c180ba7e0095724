/** A real registry on this machine, with its data in a temporary folder. It is gone when the run is over. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../bench/api/free-port.ts';
import { until } from '../../support/until.ts';

export const USER = 'ann';
export const PASSWORD = 'canary-pass-4711';
/** What `htpasswd -nbB` writes for them. */
const HTPASSWD = `${USER}:$2y$05$gPj3o.xejtthpy7qfmY2D.OrJIytDfLolnwiQvCiuV6Wcubg/zcmK\n`;
const PROGRAMS = ['docker-registry', 'registry'];
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

const OCI = 'application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json';

interface RegistryOptions {
  readonly asksWho?: boolean;
  readonly isReadOnly?: boolean;
}

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
}

interface Attached {
  readonly subject: { readonly digest: string; readonly size: number };
  readonly text: string;
}

interface AttachedManifest extends Manifest {
  readonly subject: Attached['subject'];
}

interface ReferrerList {
  readonly manifests: readonly { readonly digest: string; readonly artifactType: string }[];
}

/** Nothing where the machine has none. */
export function registryProgram(): string | undefined {
  return PROGRAMS.find((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0);
}

/** A port that nobody listens on. */

export class Registry {
  readonly host: string;
  readonly #folder: string;
  readonly #options: RegistryOptions;
  #child: ChildProcess | undefined;

  private constructor(port: number, options: RegistryOptions) {
    this.host = `127.0.0.1:${port}`;
    this.#folder = mkdtempSync(join(tmpdir(), 'kiln-registry-'));
    this.#options = options;
  }

  static async start(program: string, options: RegistryOptions = {}): Promise<Registry> {
    const registry = new Registry(await freePort(), options);
    await registry.#start(program);
    return registry;
  }

  async #start(program: string): Promise<void> {
    const config = join(this.#folder, 'config.yml');
    writeFileSync(join(this.#folder, 'htpasswd'), HTPASSWD);
    // JSON is YAML.
    writeFileSync(config, JSON.stringify(this.#settings()));
    this.#child = spawn(program, ['serve', config], { stdio: 'ignore' });
    await until(async () => (await fetch(`http://${this.host}/v2/`).catch(() => undefined)) !== undefined);
  }

  #settings(): unknown {
    const { asksWho, isReadOnly } = this.#options;
    return {
      version: '0.1',
      log: { level: 'error' },
      storage: {
        filesystem: { rootdirectory: join(this.#folder, 'data') },
        maintenance: { readonly: { enabled: isReadOnly === true } },
      },
      http: { addr: this.host },
      ...(asksWho ? { auth: { htpasswd: { realm: 'kiln', path: join(this.#folder, 'htpasswd') } } } : {}),
    };
  }

  /** Nothing where there is no such tag. */
  async manifest(repository: string, tag: string): Promise<Manifest | undefined> {
    const response = await this.#get(`${repository}/manifests/${tag}`, { accept: MANIFEST });
    return response.status === 404 ? undefined : ((await response.json()) as Manifest);
  }

  /** By which it is known there. */
  async digest(repository: string, tag: string): Promise<string> {
    const { headers } = await this.#get(`${repository}/manifests/${tag}`, { accept: MANIFEST });
    return headers.get('docker-content-digest') ?? '';
  }

  /** A list of images, or one of them, as OCI has it. */
  async list(repository: string, reference: string): Promise<unknown> {
    return (await this.#get(`${repository}/manifests/${reference}`, { accept: OCI })).json();
  }

  /** What is attached to an image, where the registry keeps no list of its own: descriptors and texts, by type. */
  async attached(repository: string, digest: string): Promise<Readonly<Record<string, Attached>>> {
    const path = `${repository}/manifests/${digest.replace(':', '-')}`;
    const response = await this.#get(path, { accept: 'application/vnd.oci.image.index.v1+json' });
    const { manifests = [] } = response.ok ? ((await response.json()) as Partial<ReferrerList>) : {};
    const entries = manifests.map(async (descriptor) => {
      const accept = 'application/vnd.oci.image.manifest.v1+json';
      const found = await this.#get(`${repository}/manifests/${descriptor.digest}`, { accept });
      const manifest = (await found.json()) as AttachedManifest;
      const text = String(await this.blob(repository, manifest.layers[0]?.digest ?? ''));
      return [descriptor.artifactType, { subject: manifest.subject, text }] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  async blob(repository: string, digest: string): Promise<Buffer> {
    return Buffer.from(await (await this.#get(`${repository}/blobs/${digest}`)).arrayBuffer());
  }

  #get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const basic = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    return fetch(`http://${this.host}/v2/${path}`, { headers: { ...headers, authorization: basic } });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null) {
      const ended = new Promise((end) => child.once('exit', end));
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
