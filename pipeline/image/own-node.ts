/**
 * A base without any image of others: this machine's own Node binary, the libraries that it links, and the runtime. It
 * is for machines without an engine and a registry, and for Linux only, because that is what containers are.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BaseConfig, BaseImage, Platform } from './image-config.ts';
import { ImageRefusal } from './image-refusal.ts';
import { digestOf, type Layer, type LayerFile, layerFrom } from './layer.ts';

export interface OwnBase {
  readonly image: BaseImage;
  readonly layers: readonly Layer[];
}

export async function ownBase(runtimeFolder: string): Promise<OwnBase> {
  if (process.platform !== 'linux') throw new ImageRefusal(ELSEWHERE);
  const node = programFiles(process.execPath, 'usr/local/bin/node');
  const layers = [await layerFrom(node), await layerFrom(runtimeFiles(runtimeFolder))];
  const diffIds = layers.map(({ diffId }) => diffId);
  const image = {
    name: `node-${process.version}`,
    id: digestOf(diffIds.join('\n')),
    architecture: OWN_ARCHITECTURE,
    os: 'linux',
    layers: diffIds,
    config: CONFIG,
  };
  return { image, layers };
}

const ELSEWHERE_BASE = 'Give a base with --base-archive, or use a Docker engine.';
const ELSEWHERE = `Only Linux can make a base of its own Node. ${ELSEWHERE_BASE}`;

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The architecture as images name it. */
export const OWN_ARCHITECTURE = ARCHITECTURES[process.arch] ?? process.arch;

/** Containers are Linux, whatever this machine is. */
export const OWN_PLATFORM: Platform = { os: 'linux', architecture: OWN_ARCHITECTURE };

/** The settings of the Dockerfile, word for word. */
const CONFIG: BaseConfig = {
  Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production', 'HOST=0.0.0.0', 'PORT=3000'],
  WorkingDir: '/app',
  User: '65532:65532',
  ExposedPorts: { '3000/tcp': {} },
  StopSignal: 'SIGTERM',
  Healthcheck: {
    Test: ['CMD', 'node', '/kiln/main.mjs', 'health'],
    Interval: 10_000_000_000,
    Timeout: 5_000_000_000,
    StartPeriod: 5_000_000_000,
  },
  Entrypoint: ['node', '/kiln/main.mjs'],
  Cmd: ['serve'],
};

/** A program of this machine under another path, with the libraries that it links. */
export function programFiles(binary: string, path: string): ReadonlyMap<string, LayerFile> {
  const files = new Map([[path, executable(binary)]]);
  for (const library of linkedLibraries(binary)) files.set(library.replace(/^\//, ''), executable(library));
  return files;
}

/**
 * Lists the libraries that the loader finds: `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)`, and the loader
 * itself.
 */
function linkedLibraries(binary: string): readonly string[] {
  const { status, stdout: listed } = spawnSync('ldd', [binary], { encoding: 'utf8' });
  if (status !== 0) throw new ImageRefusal(`\`ldd\` cannot say what ${binary} links. ${ELSEWHERE_BASE}`);
  return [...listed.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, path]) => path as string);
}

function executable(path: string): LayerFile {
  return { bytes: readFileSync(realpathSync(path)), isExecutable: true };
}

function runtimeFiles(folder: string): ReadonlyMap<string, LayerFile> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => join(folder, name)).filter((file) => statSync(file).isFile());
  return new Map(files.map((file) => [`kiln/${relative(folder, file)}`, { bytes: readFileSync(file) }]));
}

// ── Runtime folder ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The folder beside the bundle of the command line. */
export const RUNTIME_FOLDER = fileURLToPath(new URL('../runtime', import.meta.url));
