/** Extra inputs that nothing reads. Clients would send them for nothing. */
import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Input } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';

interface Unread {
  readonly field: ast.FieldDeclaration;
  /** Those that are declared with it. */
  readonly all: readonly ast.FieldDeclaration[];
}

/** Which inputs have been read so far. Endpoints are checked one after the other. */
export class InputUse {
  readonly #unread = new Map<Input, Unread>();
  /** Of the endpoint at hand. */
  #current: Input[] = [];

  begin(): void {
    this.#current = [];
  }

  /** One that is validated is read by its validator. */
  declare(input: Input, field: ast.FieldDeclaration, all: readonly ast.FieldDeclaration[]): void {
    if (input.validate) return;
    this.#current.push(input);
    this.#unread.set(input, { field, all });
  }

  read(input: Input): void {
    this.#unread.delete(input);
  }

  /** The module of a hook gets the request, with all that the client has sent. */
  readAll(): void {
    for (const input of this.#current) this.#unread.delete(input);
  }

  get unread(): readonly Unread[] {
    return [...this.#unread.values()];
  }
}

/**
 * What is removed with it; undefined where it is the only one. Up to the next one, or from the one before, so that the
 * comma between them goes too.
 */
function removalOf(field: ast.FieldDeclaration, all: readonly ast.FieldDeclaration[]): Span | undefined {
  const at = all.indexOf(field);
  const [before, after] = [all[at - 1], all[at + 1]];
  if (after) return { ...field.span, end: after.span.start };
  return before && { ...field.span, start: before.span.end };
}

export function reportUnusedInputs({ unread }: InputUse, report: Diagnostics['report']): void {
  for (const { field, all } of unread)
    report('unused-input', field.name.span, { name: field.name.text, removal: removalOf(field, all) });
}
