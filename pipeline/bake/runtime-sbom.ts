/** What the runtime in a base is made of: it carries the document with it, so it is always that of this very runtime. */
import { Readable } from 'node:stream';
import { keep, keptFile, readKept } from '../../files/kept-files.ts';
import { filesIn } from '../image/archive-files.ts';
import type { DockerEngine } from '../image/docker-engine.ts';
import type { BaseImage } from '../image/image-config.ts';
import { fileInImage } from '../image/image-file.ts';
import type { OwnBase } from '../image/own-node.ts';
import { type Platform, platformText } from '../image/platform.ts';

type BaseFiles = Platform & Pick<BaseImage, 'id'>;

const FILE = 'kiln/sbom.cdx.json';

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
  const text = await fileInImage(engine, base.id, `/${FILE}`, labels).catch(() => null);
  if (kept !== undefined && text !== null) keep(kept, Buffer.from(text));
  return text;
}

/** The id may be that of an image for several platforms. */
function nameOf(base: BaseFiles): string {
  return `sbom-${base.id}-${platformText(base)}`.replace(/[:/]/g, '-');
}

const ID = /^sha256:[0-9a-f]{64}$/;

export async function runtimeSbomOf({ layers }: OwnBase): Promise<string | null> {
  for (const { tar } of layers.toReversed()) {
    const found = (await filesIn(Readable.from([tar]))).get(FILE);
    if (found) return found.toString('utf8');
  }
  return null;
}
