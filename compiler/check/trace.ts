/**
 * Who has read what while a program was checked. A piece of work, such as the check of one entrypoint, gives the same again
 * as long as nothing that it has read has changed.
 */
import type { Member, Model, Shape } from '../program/program.ts';
import type { FileText } from '../source/source-file.ts';

/** What one piece of work has read, and what it has left behind beside its result. */
export class Reading {
  readonly models = new Set<Model>();
  /** Of hooks; undefined for one that is not there. */
  readonly files = new Map<string, string | undefined>();
  readonly shapes = new Set<string>();
  readonly runtimes = new Set<string>();
  /** How many members and shapes there are in the longest row in which each needs the next one. */
  depth = 0;
  /** Whether something was reported, which would be missing if the work were not done again. */
  hasReported = false;

  add({ models, files, shapes, runtimes, depth, hasReported }: Reading): void {
    for (const model of models) this.models.add(model);
    for (const [path, text] of files) this.files.set(path, text);
    for (const shape of shapes) this.shapes.add(shape);
    for (const runtime of runtimes) this.runtimes.add(runtime);
    this.depth = Math.max(this.depth, depth);
    this.hasReported ||= hasReported;
  }
}

/** What is worked out once, when it is first needed. Whoever uses it reads all that it has read. */
type Settled = Member | Shape;

export class Trace {
  #open: Reading | undefined;
  readonly #settled = new WeakMap<Settled, Reading>();
  /** The greatest depth of what was settled in this check. */
  deepest = 0;

  within<T>(reading: Reading, work: () => T): T {
    const outer = this.#open;
    this.#open = reading;
    try {
      return work();
    } finally {
      this.#open = outer;
    }
  }

  settle(settled: Settled, work: () => void): void {
    const reading = new Reading();
    this.within(reading, work);
    reading.depth++;
    this.deepest = Math.max(this.deepest, reading.depth);
    this.#settled.set(settled, reading);
  }

  readingOf(settled: Settled): Reading | undefined {
    return this.#settled.get(settled);
  }

  uses(settled: Settled): void {
    const reading = this.#settled.get(settled);
    if (reading) this.#open?.add(reading);
  }

  reads(model: Model): void {
    this.#open?.models.add(model);
  }

  usesShape(name: string): void {
    this.#open?.shapes.add(name);
  }

  usesRuntime(name: string): void {
    this.#open?.runtimes.add(name);
  }

  reported(): void {
    if (this.#open) this.#open.hasReported = true;
  }

  fileText(fileText: FileText): FileText {
    return (path) => {
      const text = fileText(path);
      this.#open?.files.set(path, text);
      return text;
    };
  }
}
