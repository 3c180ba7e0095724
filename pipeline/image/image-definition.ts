import { filesIn } from './archive-files.ts';
import type { DockerEngine } from './docker-engine.ts';
import { engineRefusal } from './engine-refusal.ts';
import { ImageRefusal } from './image-refusal.ts';

const FOLDER = '/app';
const FILE = 'definition.json';

/** The text of `definition.json` in an image of the engine; null where it has no such image. Nothing of it is run. */
export async function definitionInImage(engine: DockerEngine, name: string): Promise<string | null> {
  const image = await engine.imageOf(name);
  if (image === null) return null;
  // Images that Kiln has made are labelled, and a base is not.
  const isOurs = image.config.Labels?.['kiln.definition'] !== undefined;
  const text = isOurs ? await fileIn(engine, image.id) : undefined;
  if (text !== undefined) return text;
  throw new ImageRefusal(`\`${name}\` is not an image of an application that Kiln has built`);
}

/** An engine reads from containers only, so one is made, and never started. */
async function fileIn({ docker }: DockerEngine, image: string): Promise<string | undefined> {
  const container = await docker.createContainer({ Image: image, Labels: { 'kiln.read': FILE } }).catch((cause) => {
    throw engineRefusal('reading the image', cause);
  });
  try {
    const files = await filesIn(await container.getArchive({ path: `${FOLDER}/${FILE}` }));
    return files.get(FILE)?.toString('utf8');
  } catch (error) {
    if ((error as { readonly statusCode?: number }).statusCode === 404) return undefined;
    throw engineRefusal('reading the image', error);
  } finally {
    await container.remove({ force: true });
  }
}
