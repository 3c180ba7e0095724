/** The figures of a run, and what went wrong in it. */

/** What must not happen. */
type Fault = 'lost' | 'doubled' | 'mixed up' | 'torn' | 'stale' | 'from nowhere' | 'not documented' | 'no answer';

const FAULTS: readonly Fault[] = [
  'lost',
  'doubled',
  'mixed up',
  'torn',
  'stale',
  'from nowhere',
  'not documented',
  'no answer',
];

const MOST_EXAMPLES = 5;

export class Findings {
  readonly statuses = new Map<string, number>();
  readonly #faults = new Map<Fault, number>();
  readonly #examples: string[] = [];
  requests = 0;
  writes = 0;
  kills = 0;
  crashes = 0;
  slowest = 0;

  countAnswer(status: number | 'none', milliseconds: number): void {
    this.requests += 1;
    this.slowest = Math.max(this.slowest, milliseconds);
    this.statuses.set(String(status), (this.statuses.get(String(status)) ?? 0) + 1);
  }

  found(fault: Fault, example: string): void {
    const count = this.of(fault) + 1;
    this.#faults.set(fault, count);
    if (count <= MOST_EXAMPLES) this.#examples.push(`✗ ${fault}: ${example.slice(0, 800)}`);
  }

  of(fault: Fault): number {
    return this.#faults.get(fault) ?? 0;
  }

  get hasFaults(): boolean {
    return this.#faults.size > 0;
  }

  text(): string {
    const statuses = [...this.statuses].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      `${this.requests} requests, ${this.kills} backends killed, ${this.crashes} crashes of Postgres`,
      `by status: ${statuses.map(([status, count]) => `${status}: ${count}`).join(', ')}`,
      `slowest answer: ${Math.round(this.slowest)} ms`,
      `${this.writes} writes looked at: ${FAULTS.map((fault) => `${this.of(fault)} ${fault}`).join(', ')}`,
      ...this.#examples,
    ].join('\n');
  }
}
