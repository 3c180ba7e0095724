import { posix } from 'node:path';
import { filesIn } from './archive-files.ts';
import type { DockerEngine } from './docker-engine.ts';
import { engineRefusal } from './engine-refusal.ts';

/** The text of a file in an image of the engine; null where it has no such file. Nothing of the image is run. */
export async function fileInImage(engine: DockerEngine, image: string, path: string): Promise<string | null> {
  const [file] = (await filesInImage(engine, image, [path])).values();
  return file?.toString('utf8') ?? null;
}

/** Those of several paths that the image has, and what is in them where they are folders, by their whole paths. */
export async function filesInImage(
  { docker }: DockerEngine,
  image: string,
  paths: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, Buffer>> {
  const act = `reading ${paths[0]} of ${image}`;
  // An engine reads from containers only, so one is made, and never started. It wants a command all the same.
  const made = docker.createContainer({
    Image: image,
    Cmd: ['none'],
    Labels: { ...labels, 'kiln.read': paths[0] ?? '' },
  });
  const container = await made.catch((cause: unknown) => {
    throw engineRefusal(act, cause);
  });
  const read = async (path: string) => {
    try {
      const found = await filesIn(await container.getArchive({ path }));
      return [...found].map(([name, bytes]) => [posix.join(posix.dirname(path), name), bytes] as const);
    } catch (error) {
      if ((error as { readonly statusCode?: number }).statusCode === 404) return [];
      throw engineRefusal(act, error);
    }
  };
  try {
    return new Map((await Promise.all(paths.map(read))).flat());
  } finally {
    // What is in the way of this is no reason against what was read.
    await container.remove({ force: true }).catch(() => undefined);
  }
}
