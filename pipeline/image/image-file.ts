import { filesIn } from './archive-files.ts';
import type { DockerEngine } from './docker-engine.ts';
import { engineRefusal } from './engine-refusal.ts';

/** The text of a file in an image of the engine; null where it has no such file. Nothing of the image is run. */
export async function fileInImage(
  { docker }: DockerEngine,
  image: string,
  path: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  // An engine reads from containers only, so one is made, and never started. It wants a command all the same.
  const made = docker.createContainer({ Image: image, Cmd: ['none'], Labels: { ...labels, 'kiln.read': path } });
  const container = await made.catch((cause: unknown) => {
    throw engineRefusal(`reading ${path} of ${image}`, cause);
  });
  try {
    const [file] = (await filesIn(await container.getArchive({ path }))).values();
    return file?.toString('utf8') ?? null;
  } catch (error) {
    if ((error as { readonly statusCode?: number }).statusCode === 404) return null;
    throw engineRefusal(`reading ${path} of ${image}`, error);
  } finally {
    // What is in the way of this is no reason against what was read.
    await container.remove({ force: true }).catch(() => undefined);
  }
}
