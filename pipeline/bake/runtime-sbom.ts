/**
 * What a base is made of. Its runtime carries a document of its own, so it is always that of this very runtime; Node and
 * the packages of the system are read from the files of the base.
 */
import { Readable } from 'node:stream';
import { keep, keptFile, readKept } from '../../files/kept-files.ts';
import { type DockerEngine, filesInImage } from '../image/docker-engine.ts';
import { type BaseImage, type Platform, platformText } from '../image/image-config.ts';
import { filesIn } from '../image/layer.ts';
import type { OwnBase } from '../image/own-node.ts';
import { baseSbom, baseSystem, SYSTEM_FILES } from './sbom.ts';

type BaseFiles = Platform & Pick<BaseImage, 'id' | 'name' | 'config'>;

const FILE = 'kiln/sbom.cdx.json';
const FILES = [FILE, ...SYSTEM_FILES];

/**
 * Null where a base of an older Kiln has none, or where the engine cannot read it: then the document of the application
 * says that it is not whole, and the image is as good as any. The id of `base` stands for the same files for ever, on
 * one platform, so what was read of it is kept: an engine has to make a container to read a file.
 */
export async function runtimeSbomIn(
  engine: DockerEngine,
  base: BaseFiles,
  labels?: Readonly<Record<string, string>>,
): Promise<string | null> {
  const kept = ID.test(base.id) ? keptFile(nameOf(base)) : undefined;
  const known = kept === undefined ? undefined : readKept(kept);
  if (known) return known.toString('utf8');
  const paths = FILES.map((path) => `/${path}`);
  const found = await filesInImage(engine, base.id, paths, labels).catch(() => new Map<string, Buffer>());
  const text = sbomOfBase(base, new Map([...found].map(([path, bytes]) => [path.slice(1), bytes])));
  if (kept !== undefined && text !== null) keep(kept, Buffer.from(text));
  return text;
}

/** The id may be that of an image for several platforms. */
function nameOf(base: BaseFiles): string {
  return `base-sbom-${base.id}-${platformText(base)}`.replace(/[:/]/g, '-');
}

const ID = /^sha256:[0-9a-f]{64}$/;

export async function runtimeSbomOf({ image, layers }: OwnBase): Promise<string | null> {
  const isWanted = (name: string) => FILES.some((path) => name === path || name.startsWith(`${path}/`));
  const files = new Map<string, Buffer>();
  for (const { tar } of layers)
    for (const [name, bytes] of await filesIn(Readable.from([tar]), isWanted)) files.set(name, bytes);
  return sbomOfBase(image, files);
}

function sbomOfBase(base: BaseFiles, files: ReadonlyMap<string, Buffer>): string | null {
  const runtime = files.get(FILE)?.toString('utf8');
  return runtime === undefined ? null : baseSbom(runtime, nodeVersionOf(base), baseSystem(files));
}

/** Images of Node say it in their environment; a base of this machine's Node in its name. */
function nodeVersionOf({ name, config }: BaseFiles): string | null {
  const said = config.Env?.find((setting) => setting.startsWith('NODE_VERSION='))?.slice('NODE_VERSION='.length);
  return said ?? /^node-v(\d[\w.-]*)$/.exec(name)?.[1] ?? null;
}
