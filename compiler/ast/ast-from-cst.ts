/**
 * Syntax tree in, abstract syntax out. The tree has no errors; mistakes that the grammar accepts are reported here: a
 * property said twice, an escape that does not exist, a doc comment above nothing.
 */
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { SourceFile } from '../source/source-file.ts';
import type { SyntaxTree } from '../syntax/syntax-node.ts';
import type { Ast } from './ast.ts';
import { declarations } from './declarations.ts';
import { propertiesFrom } from './expressions.ts';
import { ALONE, node } from './parts.ts';
import { Reader } from './reader.ts';

const file = node({ declarations }, undefined, 'open');

export function astFromCst(source: SourceFile, tree: SyntaxTree, diagnostics: Diagnostics): Ast {
  return file(new Reader(source, diagnostics, propertiesFrom), tree.root, ALONE);
}
