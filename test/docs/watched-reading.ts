/** A reading that remembers which parts of which forms it came by. */
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { type Braces, bracesAsWritten } from '../../compiler/syntax/braces.ts';
import { declarationsFrom } from '../../compiler/syntax/declarations.ts';
import { Reading } from '../../compiler/syntax/reading.ts';
import { recognise } from '../../compiler/syntax/recogniser.ts';
import type { Shape } from '../../compiler/syntax/shapes.ts';
import { tokenize } from '../../compiler/syntax/tokens.ts';

class WatchedReading extends Reading {
  readonly #seen: Set<Shape>;

  constructor(source: SourceFile, braces: Braces, seen: Set<Shape>) {
    super(source, braces);
    this.#seen = seen;
  }

  /** The recogniser asks this before each part of a form, and goes over the first shape that it gives. */
  override resolved(shapes: readonly Shape[]): readonly Shape[] {
    const resolved = super.resolved(shapes);
    const [next] = resolved;
    if (next && next.kind !== 'choice' && this.over(next, this.at) !== undefined) this.#seen.add(next);
    return resolved;
  }
}

/** What the recogniser goes over in a text. */
export function shapesIn(source: SourceFile): ReadonlySet<Shape> {
  const seen = new Set<Shape>();
  for (const { tokens } of declarationsFrom(source, tokenize(source.text))) {
    const reading = new WatchedReading(source, bracesAsWritten(tokens), seen);
    recognise(reading);
  }
  return seen;
}
