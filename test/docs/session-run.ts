/** The session of a whole document: its blocks in order, in a sandbox of its own, up to the first that fails. */
import { runtimeBase, whyNoImages } from '../support/runtime-base.ts';
import { type Difference, differencesIn } from './session.ts';
import type { SessionBlock } from './session-blocks.ts';
import { openSandbox, type Sandbox } from './session-sandbox.ts';

type Outcome =
  | { readonly kind: 'done'; readonly differences: readonly Difference[] }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** For want of a Docker engine, or because a block before it has failed. */
  | { readonly kind: 'left out' };

/** Sessions wait for containers most of their time, so a few of them go well together. */
const AT_ONCE = 3;

export class SessionRuns {
  readonly #waiting: SessionRun[];
  readonly #started: Promise<void>[] = [];

  constructor(runs: readonly SessionRun[]) {
    this.#waiting = [...runs];
  }

  start(): void {
    while (this.#started.length < AT_ONCE) this.#started.push(this.#next());
  }

  async #next(): Promise<void> {
    for (let run = this.#waiting.shift(); run; run = this.#waiting.shift()) await run.start();
  }
}

export class SessionRun {
  readonly blocks: readonly SessionBlock[];
  readonly #goesOn: boolean;
  readonly #outcomes = new Map<SessionBlock, PromiseWithResolvers<Outcome>>();
  #started: Promise<void> | undefined;

  /** One that goes on does so after a difference. */
  constructor(blocks: readonly SessionBlock[], goesOn: boolean) {
    this.blocks = blocks;
    this.#goesOn = goesOn;
    for (const block of blocks) this.#outcomes.set(block, deferred());
  }

  outcome(block: SessionBlock): Promise<Outcome> {
    const outcome = this.#outcomes.get(block);
    if (outcome === undefined) throw new Error('a block of another document');
    return outcome.promise;
  }

  start(): Promise<void> {
    this.#started ??= this.#run();
    return this.#started;
  }

  async #run(): Promise<void> {
    let sandbox: Sandbox | undefined;
    let hasFailed = false;
    for (const block of this.blocks) {
      const outcome = await this.#outcomeOf(block, hasFailed, async () => {
        sandbox ??= await this.#openSandbox();
        return sandbox;
      });
      hasFailed ||= outcome.kind === 'failed' || (outcome.kind === 'done' && outcome.differences.length > 0);
      this.#outcomes.get(block)?.resolve(outcome);
    }
    await sandbox?.close();
  }

  async #outcomeOf(block: SessionBlock, hasFailed: boolean, sandbox: () => Promise<Sandbox>): Promise<Outcome> {
    if ((hasFailed && !this.#goesOn) || (block.needsDocker && !hasImages())) return { kind: 'left out' };
    try {
      return { kind: 'done', differences: await differencesIn(block, await sandbox()) };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  async #openSandbox(): Promise<Sandbox> {
    const needsBase = this.blocks.some(({ needsDocker }) => needsDocker) && hasImages();
    return openSandbox(applicationsIn(this.blocks), needsBase ? await runtimeBase() : 'none');
  }
}

let images: boolean | undefined;

function hasImages(): boolean {
  images ??= whyNoImages() === undefined;
  return images;
}

/** What `kiln new` makes has images of its own name. */
function applicationsIn(blocks: readonly SessionBlock[]): readonly string[] {
  const steps = blocks.flatMap((block) => (block.kind === 'console' ? block.steps : []));
  const named = steps.flatMap(({ command = '' }) => /\bkiln new ([\w-]+)/.exec(command)?.[1] ?? []);
  return [...new Set(named)];
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function deferred<T>(): PromiseWithResolvers<T> {
  let settle: ((value: T) => void) | undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle?.(value) };
}
