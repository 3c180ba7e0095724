import type { Span } from '../source/source-file.ts';
import type { Code, Facts } from './catalogue/catalogue.ts';
import { type Diagnostic, severityOf } from './diagnostic.ts';

/** Collects the diagnostics of the phases of one compilation. */
export class Diagnostics {
  readonly #list: Diagnostic[] = [];
  readonly #seen = new Set<string>();

  /**
   * Reports a fact. The same fact at the same place is reported once. Returns undefined, so that a check without a
   * result can end with it.
   */
  report<C extends Code>(code: C, span: Span, facts: Facts<C>): undefined {
    const key = `${code} ${span.file} ${span.start} ${span.end}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#list.push({ code, span, facts });
  }

  get count(): number {
    return this.#list.length;
  }

  get hasErrors(): boolean {
    return this.#list.some((diagnostic) => severityOf(diagnostic) === 'error');
  }

  /** The diagnostics in the order of the sources: by file, then by place, so that the order of work does not matter. */
  sorted(): readonly Diagnostic[] {
    return [...this.#list].sort(bySource);
  }
}

function bySource(a: Diagnostic, b: Diagnostic): number {
  return (
    compare(a.span.file, b.span.file) ||
    a.span.start - b.span.start ||
    a.span.end - b.span.end ||
    compare(a.code, b.code)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
