/** Where requests go, and how they fared: to the older release, to the newer one, or to both in turns. */
import { Sender } from '../../campaigns/send.ts';

export type ReleaseName = 'old' | 'new';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** For whoever reads of a mistake. */
  readonly told: string;
}

export interface Counted {
  requests: number;
  failed: number;
}

/** What an operator does meanwhile. */
export const PHASES = ['before', 'migrate', 'beside', 'rollback', 'contract'] as const;

export type Phase = (typeof PHASES)[number];

const PATIENCE_MS = 60_000;
const MOST_EXAMPLES = 5;

export class Traffic {
  readonly counted: Readonly<Record<ReleaseName, Counted>> = { old: newCount(), new: newCount() };
  /** Of the mistakes. */
  readonly examples: string[] = [];
  phase: Phase = 'before';
  /** The slowest answer of each phase, in milliseconds. */
  readonly slowest: Record<Phase, number> = { before: 0, migrate: 0, beside: 0, rollback: 0, contract: 0 };
  readonly #senders = new Map<ReleaseName, { readonly url: string; readonly sender: Sender }>();
  #open: readonly ReleaseName[] = [];

  /** From now on requests go there. */
  to(urls: Readonly<Partial<Record<ReleaseName, string>>>): void {
    for (const [name, url] of Object.entries(urls) as [ReleaseName, string][]) {
      const known = this.#senders.get(name);
      if (known?.url === url) continue;
      known?.sender.close();
      this.#senders.set(name, { url, sender: new Sender(url, PATIENCE_MS) });
    }
    this.#open = Object.keys(urls) as ReleaseName[];
  }

  /** Whether the newer release has come. */
  get isMigrated(): boolean {
    return this.phase !== 'before' && this.phase !== 'migrate';
  }

  get open(): readonly ReleaseName[] {
    return this.#open;
  }

  async send(release: ReleaseName, method: string, target: string, sent?: object): Promise<Answer> {
    const sender = this.#senders.get(release)?.sender;
    if (!sender) throw new Error(`there is no ${release} server`);
    const body = sent === undefined ? null : Buffer.from(JSON.stringify(sent));
    const headers = body === null ? {} : { 'content-type': 'application/json' };
    const start = performance.now();
    const answer = await sender.send({ method, target, headers, body });
    this.counted[release].requests += 1;
    this.slowest[this.phase] = Math.max(this.slowest[this.phase], performance.now() - start);
    const request = `${release}: ${method} ${target} ${body ?? ''}`;
    if (typeof answer === 'string') return { status: 0, body: null, told: `${request}: ${answer}` };
    return { status: answer.status, body: bodyOf(answer.text), told: `${request}: ${answer.status} ${answer.text}` };
  }

  /** An answer that is an error, or not what it should be. */
  mistake(release: ReleaseName, why: string, { told }: Answer): void {
    this.counted[release].failed += 1;
    if (this.examples.length < MOST_EXAMPLES) this.examples.push(`${why}: ${told.slice(0, 600)}`);
  }

  close(): void {
    for (const { sender } of this.#senders.values()) sender.close();
  }
}

function newCount(): Counted {
  return { requests: 0, failed: 0 };
}

function bodyOf(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
