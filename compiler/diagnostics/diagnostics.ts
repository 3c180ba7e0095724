import type { Span } from '../source/source-file.ts';
import type { Code, Facts } from './catalogue/catalogue.ts';
import { type Diagnostic, severityOf } from './diagnostic.ts';

/** Gathers what the phases of one compilation have to report. */
export class Diagnostics {
  readonly #list: Diagnostic[] = [];
  readonly #seen = new Set<string>();

  /**
   * The same thing at the same place is one thing, however many paths lead to it. Gives nothing, so that a check that
   * has nothing to give either can end with it.
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

  /** In the order of the sources: by file, then by place, so that the order of work does not show. */
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
