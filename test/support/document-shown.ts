/** Blocks that show what the compiler says. UPDATE_GOLDEN=1 writes them anew; the difference is then for a person to read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { isUpdating } from './case-file.ts';
import { type Block, type Part, ROOT, readDocument } from './document-parts.ts';

const seenInstead = new Map<Part, string>();

export function expectShown(seen: string, shown: Block | null): void {
  if (isUpdating && shown) seenInstead.set(shown, seen);
  else expect(seen).to.equal(shown?.text.trim());
}

/** The parts are those of the document that were read before. */
export function rewriteShown(document: string, parts: readonly Part[]): void {
  if (!isUpdating) return;
  const lines = readDocument(document).split('\n');
  for (const part of parts.toReversed()) {
    const seen = seenInstead.get(part);
    if (seen !== undefined && part.kind === 'block') lines.splice(part.line, linesIn(part), ...seen.split('\n'));
  }
  writeFileSync(join(ROOT, document), lines.join('\n'));
}

function linesIn({ text }: Block): number {
  return text.split('\n').length - 1;
}
