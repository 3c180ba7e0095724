/** Why there is no image: the message is a sentence for whoever asked for it. */
export class ImageRefusal extends Error {
  override readonly name = 'ImageRefusal';
}
