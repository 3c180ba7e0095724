/**
 * The abstract syntax of files that were read before, for whoever compiles the same project again and again. A file whose
 * text has not changed is not parsed again, and its declarations are the same objects.
 */
import type { Declaration } from './ast/ast.ts';
import type { SourceFile } from './source/source-file.ts';

interface KeptFile {
  readonly text: string;
  readonly declarations: readonly Declaration[];
}

export class KeptSyntax {
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
