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

  /** `detail` is what is told beside the time. */
  async run<T>(name: string, work: () => T | Promise<T>, detail?: string | ((result: T) => string)): Promise<T> {
    const start = performance.now();
    const result = await work();
    const milliseconds = Math.round(performance.now() - start);
    const more = typeof detail === 'function' ? detail(result) : detail;
    this.#say(`${name.padEnd(10)} ${String(milliseconds).padStart(6)} ms${more === undefined ? '' : `  ${more}`}`);
    return result;
  }
}
