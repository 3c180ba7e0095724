/** An image does not do what it has to. The message is a sentence, and the last lines of its log where there are any. */
export class SmokeFailure extends Error {
  override readonly name = 'SmokeFailure';
  readonly sentence: string;
  readonly log: readonly string[];

  constructor(sentence: string, log: readonly string[] = []) {
    super([sentence, ...log.map((line) => `  | ${line}`)].join('\n'));
    this.sentence = sentence;
    this.log = log;
  }
}
