import type { DockerEngine } from './docker-engine.ts';
import { fileInImage } from './image-file.ts';
import { ImageRefusal } from './image-refusal.ts';

const FILE = '/app/definition.json';

/** The text of `definition.json` in an image of the engine; null where it has no such image. Nothing of it is run. */
export async function definitionInImage(engine: DockerEngine, name: string): Promise<string | null> {
  const image = await engine.imageOf(name);
  if (image === null) return null;
  // Images that Kiln has made are labelled, and a base is not.
  const isOurs = image.config.Labels?.['kiln.definition'] !== undefined;
  const text = isOurs ? await fileInImage(engine, image.id, FILE) : null;
  if (text !== null) return text;
  throw new ImageRefusal(`\`${name}\` is not an image of an application that Kiln has built`);
}
