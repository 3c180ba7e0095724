import type { Declaration } from './ast/ast.ts';
import { KeptCheck } from './check/kept-check.ts';
import type { SourceFile } from './source/source-file.ts';

interface KeptFile {
  readonly text: string;
  readonly declarations: readonly Declaration[];
}

/** What a compilation leaves for the next one of the same project. A compilation with it gives the same as one without. */
export class KeptWork {
  readonly syntax = new KeptSyntax();
  readonly check = new KeptCheck();
}

/**
 * The abstract syntax of files that were read before. A file whose text has not changed is not parsed again, and its
 * declarations are the same objects.
 */
class KeptSyntax {
  #files = new Map<string, KeptFile>();

  /** Undefined where the text is another one now. */
  find({ path, text }: SourceFile): readonly Declaration[] | undefined {
    const kept = this.#files.get(path);
    return kept?.text === text ? kept.declarations : undefined;
  }

  /** Only what was read without a report: a report would be missing the next time. */
  keep({ path, text }: SourceFile, declarations: readonly Declaration[]): void {
    this.#files.set(path, { text, declarations });
  }

  /** Files that are gone take no memory. */
  forgetOthers(sources: readonly SourceFile[]): void {
    const paths = new Set(sources.map(({ path }) => path));
    for (const path of this.#files.keys()) if (!paths.has(path)) this.#files.delete(path);
  }
}
