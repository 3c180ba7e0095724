/** Why there is no release: a sentence, and what is shown with it, such as diagnostics. */
export class BuildRefusal extends Error {
  override readonly name = 'BuildRefusal';
  readonly shown: string;

  constructor(message: string, shown = '') {
    super(message);
    this.shown = shown;
  }
}
