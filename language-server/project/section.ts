import type { Declaration } from '../../compiler/ast/ast.ts';
import { isTemplatePath } from '../../compiler/check/mails.ts';
import { readSource } from '../../compiler/compile.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { Diagnostics } from '../../compiler/diagnostics/diagnostics.ts';

/** A text that could be read, with what it declares. */
export interface Sound {
  readonly text: string;
  readonly declarations: readonly Declaration[];
}

interface Readout {
  readonly sound: Sound | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A part of a file, mostly one declaration with the comments above it. It is read as if it were a file of its own, so
 * that an edit elsewhere leaves it unchanged: its places are counted from its own beginning, and `id` stands for a
 * file. The template of a mail is one section, whose id is its path.
 */
export class Section {
  /**
   * The id. It sorts in the order of the sections in the project, and stays with a declaration while it is being
   * edited.
   */
  readonly id: string;
  readonly text: string;
  readonly #former: Sound | undefined;
  #readout: Readout | undefined;

  constructor(id: string, text: string, former?: Section) {
    this.id = id;
    this.text = text;
    // The former text is the last that could be read; a chain of all former texts would grow with every key.
    this.#former = former && (former.#readout?.sound ?? former.#former);
  }

  /** The diagnostics of the text by itself. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#read().diagnostics;
  }

  get isSound(): boolean {
    return this.#read().sound !== undefined;
  }

  /** The declarations of the text; if it cannot be read, those of the last text that could be. */
  get standIn(): Sound | undefined {
    return this.#read().sound ?? this.#former;
  }

  #read(): Readout {
    this.#readout ??= readSection(this.id, this.text);
    return this.#readout;
  }
}

function readSection(id: string, text: string): Readout {
  if (isTemplatePath(id)) return { sound: { text, declarations: [] }, diagnostics: [] };
  const diagnostics = new Diagnostics();
  const read = readSource({ path: id, text }, diagnostics);
  return { sound: read && { text, declarations: read.ast.declarations }, diagnostics: diagnostics.sorted() };
}
