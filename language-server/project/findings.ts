import type { Meaning, Witness } from '../../compiler/check/meaning.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { Span } from '../../compiler/source/source-file.ts';
import type { Use } from './checked-section.ts';

/** Gathers by section what a check tells. */
export class Findings implements Witness {
  readonly #uses = new Map<string, Use[]>();
  readonly #diagnostics = new Map<string, Diagnostic[]>();

  meant({ file, start, end }: Span, meaning: Meaning): void {
    listIn(this.#uses, file).push({ start, end, meaning });
  }

  add(diagnostic: Diagnostic): void {
    listIn(this.#diagnostics, diagnostic.span.file).push(diagnostic);
  }

  uses(id: string): readonly Use[] {
    return this.#uses.get(id) ?? [];
  }

  diagnostics(id: string): readonly Diagnostic[] {
    return this.#diagnostics.get(id) ?? [];
  }
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  let list = lists.get(key);
  if (!list) {
    list = [];
    lists.set(key, list);
  }
  return list;
}
