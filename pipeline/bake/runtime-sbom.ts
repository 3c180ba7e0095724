/** What the runtime in a base is made of: it carries the document with it, so it is always that of this very runtime. */
import { Readable } from 'node:stream';
import { filesIn } from '../image/archive-files.ts';
import type { DockerEngine } from '../image/docker-engine.ts';
import { fileInImage } from '../image/image-file.ts';
import type { OwnBase } from '../image/own-node.ts';

const FILE = 'kiln/sbom.cdx.json';

/**
 * Null where a base of an older Kiln has none, or where the engine cannot read it: then the document of the application
 * says that it is not whole, and the image is as good as any.
 */
export function runtimeSbomIn(
  engine: DockerEngine,
  base: string,
  labels?: Readonly<Record<string, string>>,
): Promise<string | null> {
  return fileInImage(engine, base, `/${FILE}`, labels).catch(() => null);
}

export async function runtimeSbomOf({ layers }: OwnBase): Promise<string | null> {
  for (const { tar } of layers.toReversed()) {
    const found = (await filesIn(Readable.from([tar]))).get(FILE);
    if (found) return found.toString('utf8');
  }
  return null;
}
