/** Each step of a build, told when it is done, with the time that it took. */
export class Steps {
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** More about the step before. */
  note(lines: readonly string[]): void {
    for (const line of lines) this.#say(`  ${line}`);
  }

  async run<T>(name: string, work: () => T | Promise<T>, detail?: (result: T) => string): Promise<T> {
    const start = performance.now();
    const result = await work();
    const milliseconds = Math.round(performance.now() - start);
    this.#say(`${name.padEnd(10)} ${String(milliseconds).padStart(6)} ms${detail ? `  ${detail(result)}` : ''}`);
    return result;
  }
}
