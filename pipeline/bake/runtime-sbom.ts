/** What the runtime in a base is made of: it carries the document with it, so it is always that of this very runtime. */
import { Readable } from 'node:stream';
import { keep, keptFile, readKept } from '../../files/kept-files.ts';
import { filesIn } from '../image/archive-files.ts';
import type { DockerEngine } from '../image/docker-engine.ts';
import { fileInImage } from '../image/image-file.ts';
import type { OwnBase } from '../image/own-node.ts';

const FILE = 'kiln/sbom.cdx.json';

/**
 * Null where a base of an older Kiln has none, or where the engine cannot read it: then the document of the application
 * says that it is not whole, and the image is as good as any. `base` is an id, which stands for the same files for ever, so
 * what was read of it is kept: an engine has to make a container to read a file.
 */
export async function runtimeSbomIn(
  engine: DockerEngine,
  base: string,
  labels?: Readonly<Record<string, string>>,
): Promise<string | null> {
  const kept = ID.test(base) ? keptFile(`sbom-${base.replace(':', '-')}`) : undefined;
  const known = kept === undefined ? undefined : readKept(kept);
  if (known) return known.toString('utf8');
  const text = await fileInImage(engine, base, `/${FILE}`, labels).catch(() => null);
  if (kept !== undefined && text !== null) keep(kept, Buffer.from(text));
  return text;
}

const ID = /^sha256:[0-9a-f]{64}$/;

export async function runtimeSbomOf({ layers }: OwnBase): Promise<string | null> {
  for (const { tar } of layers.toReversed()) {
    const found = (await filesIn(Readable.from([tar]))).get(FILE);
    if (found) return found.toString('utf8');
  }
  return null;
}
