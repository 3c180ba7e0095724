/**
 * Syntax tree in, abstract syntax out. The tree has no errors; what is reported here is what the grammar lets through
 * but no reader could mean: a property said twice, an escape that does not exist, a doc comment above nothing.
 */
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { SourceFile } from '../source/source-file.ts';
import type { SyntaxTree } from '../syntax/syntax-node.ts';
import { apiFrom } from './api.ts';
import type { Ast, Declaration } from './ast.ts';
import { enumFrom, modelFrom, shapeFrom, validatorFrom } from './models.ts';
import { authFrom, generatorFrom, populatorFrom, runtimeFrom } from './other-declarations.ts';
import { type DocumentedNode, Reader } from './reader.ts';

export function astFromCst(source: SourceFile, tree: SyntaxTree, diagnostics: Diagnostics): Ast {
  const reader = new Reader(source, diagnostics);
  return { declarations: reader.documented(tree.root).map((declaration) => declarationFrom(reader, declaration)) };
}

function declarationFrom(reader: Reader, declaration: DocumentedNode): Declaration {
  const build = BUILDERS[declaration.node.type];
  if (!build) throw new Error(`grammar: \`${declaration.node.type}\` is no declaration`);
  return build(reader, declaration);
}

const BUILDERS: Readonly<Record<string, (reader: Reader, declaration: DocumentedNode) => Declaration>> = {
  model: modelFrom,
  enum: enumFrom,
  validator: validatorFrom,
  shape: shapeFrom,
  api: apiFrom,
  auth: authFrom,
  runtime: runtimeFrom,
  populator: populatorFrom,
  generator: generatorFrom,
  drop_model: (reader, declaration) => {
    reader.reportMisplacedDoc(declaration);
    const { node } = declaration;
    return { kind: 'drop-model', name: reader.childName(node), span: reader.span(node) };
  },
};
