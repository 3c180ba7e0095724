import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { SourceFile } from '../source/source-file.ts';
import type { SyntaxNode, SyntaxTree } from './syntax-node.ts';

/** What comes after walks trees by recursion; deeper than this no author goes, and no stack overflows. */
export const MAX_DEPTH = 500;

/** True where the tree is not nested too deeply. A tree with errors says so in its own words. */
export function reportNesting(source: SourceFile, tree: SyntaxTree, diagnostics: Diagnostics): boolean {
  if (tree.depth <= MAX_DEPTH) return true;
  if (tree.hasErrors) return false;
  const { start, end } = firstBelow(tree.root, MAX_DEPTH);
  diagnostics.report('nested-too-deeply', { file: source.path, start, end }, { limit: MAX_DEPTH });
  return false;
}

/** The first node of those that lie too deep, by place. */
function firstBelow(root: SyntaxNode, limit: number): SyntaxNode {
  let level: readonly SyntaxNode[] = [root];
  for (let depth = 1; depth <= limit; depth++) level = level.flatMap((node) => node.children);
  return level[0] ?? root;
}
