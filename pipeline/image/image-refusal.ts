/** Why there is no image: the message is a sentence for whoever asked for it. */
export class ImageRefusal extends Error {
  override readonly name = 'ImageRefusal';
}

/** Something that has to be there first. What to do about it depends on the command: a push has no options. */
export class MissingRefusal extends ImageRefusal {
  readonly missing: 'engine' | 'recent-engine' | 'base' | 'postgres';
  /** A sentence without a full stop. */
  readonly what: string;

  constructor(missing: MissingRefusal['missing'], what: string, advice: string, options?: ErrorOptions) {
    super(`${what}. ${advice}`, options);
    this.missing = missing;
    this.what = what;
  }
}
