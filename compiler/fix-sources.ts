/**
 * Sources in, sources with the suggested edits out. Edits are made in rounds, because a fix may make more text readable
 * and so reveal further mistakes. A round that leaves a file with more errors than before is discarded.
 */
import { analyse } from './compile.ts';
import { compatible, edited, type Fix } from './diagnostics/apply-edits.ts';
import { type Diagnostic, severityOf, wordsOf } from './diagnostics/diagnostic.ts';
import type { FileText, SourceFile } from './source/source-file.ts';

/** A source that nobody would want to see changed more often than this. */
const MOST_ROUNDS = 20;

/** The errors of the sources. Until all of them can be read, the rules have not been checked. */
interface Examined {
  readonly sources: readonly SourceFile[];
  readonly errors: readonly Diagnostic[];
  readonly isComplete: boolean;
}

export interface FixedSources {
  readonly sources: readonly SourceFile[];
  /** The number of errors fixed by their own edits. */
  readonly fixes: number;
  /** The number of remaining errors. */
  readonly left: number;
}

/** `loadGrammar` must have been awaited. */
export function fixSources(sources: readonly SourceFile[], fileText: FileText = () => undefined): FixedSources {
  let current = examined(sources, fileText);
  let fixes = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const better = improved(current, fileText);
    if (!better) break;
    fixes += better.fixes;
    current = better.examined;
  }
  return { sources: current.sources, fixes, left: current.errors.length };
}

function examined(sources: readonly SourceFile[], fileText: FileText): Examined {
  const { diagnostics, isComplete } = analyse(sources, fileText);
  return { sources, isComplete, errors: diagnostics.filter((diagnostic) => severityOf(diagnostic) === 'error') };
}

interface Improvement {
  readonly examined: Examined;
  readonly fixes: number;
}

/** Applies all fixes at once. If that makes it worse, applies the first one that helps. */
function improved(before: Examined, fileText: FileText): Improvement | undefined {
  const own = new Set(before.sources.map(({ path }) => path));
  const isOwn = (fix: Fix) => fix.every(({ span }) => own.has(span.file));
  const fixes = compatible(before.errors.flatMap(fixOf).filter(isOwn));
  if (fixes.length === 0) return undefined;
  const after = examined(edited(before.sources, fixes.flat()), fileText);
  if (isBetter(after, before)) return { examined: after, fixes: fixes.length };
  return fixes.length === 1 ? undefined : firstThatHelps(before, fixes, fileText);
}

function firstThatHelps(before: Examined, fixes: readonly Fix[], fileText: FileText): Improvement | undefined {
  for (const fix of fixes) {
    const after = examined(edited(before.sources, fix), fileText);
    if (isBetter(after, before)) return { examined: after, fixes: 1 };
  }
  return undefined;
}

function fixOf(error: Diagnostic): readonly Fix[] {
  const { edits = [] } = wordsOf(error);
  return edits.length > 0 ? [edits] : [];
}

/**
 * Whether the fixes help. Errors in rules appear only when all text can be read, so they do not count against the fix
 * that makes it readable.
 */
function isBetter(after: Examined, before: Examined): boolean {
  if (after.isComplete !== before.isComplete) return after.isComplete;
  if (after.errors.length >= before.errors.length) return false;
  const counts = errorsByFile(before);
  return [...errorsByFile(after)].every(([file, count]) => count <= (counts.get(file) ?? 0));
}

function errorsByFile({ errors }: Examined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { span } of errors) counts.set(span.file, (counts.get(span.file) ?? 0) + 1);
  return counts;
}
