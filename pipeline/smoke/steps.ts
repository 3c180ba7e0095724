/** A result of the test of a release. The report of the release begins with these. */
export interface Verdict {
  /** A few words: `contract`, `plans`, `withdrawal of release 2`. No two verdicts have the same. */
  readonly of: string;
  readonly outcome: 'passed' | 'warned' | 'failed' | 'skipped';
  /** One sentence, without a full stop. */
  readonly says: string;
  readonly details: readonly string[];
}

// ── Steps ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Each step of a build, told when it is done, with the time that it took. All of it is kept for the report.

export interface FinishedStep {
  readonly name: string;
  readonly milliseconds: number;
  readonly detail: string | null;
}

export class Steps {
  readonly #say: (line: string) => void;
  readonly finished: FinishedStep[] = [];
  verdicts: readonly Verdict[] = [];

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Adds lines about the previous step. */
  note(lines: readonly string[]): void {
    for (const line of lines) this.#say(`  ${line}`);
  }

  /**
   * Adds a verdict to the report; the caller also tells the pusher. A second verdict on the same subject replaces the
   * first.
   */
  judge(verdict: Verdict): void {
    this.verdicts = [...this.verdicts.filter(({ of }) => of !== verdict.of), verdict];
  }

  /** `detail` is what is told beside the time. */
  async run<T>(name: string, work: () => T | Promise<T>, detail?: string | ((result: T) => string)): Promise<T> {
    const start = performance.now();
    const result = await work();
    const milliseconds = Math.round(performance.now() - start);
    const more = typeof detail === 'function' ? detail(result) : detail;
    this.finished.push({ name, milliseconds, detail: more ?? null });
    this.#say(`${name.padEnd(10)} ${String(milliseconds).padStart(6)} ms${more === undefined ? '' : `  ${more}`}`);
    return result;
  }
}
