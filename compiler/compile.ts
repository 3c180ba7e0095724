/**
 * Sources in, definition out. Each phase relies on the one before: abstract syntax is built only from trees without
 * errors, a definition only from a program in which every rule holds.
 */
import { astFromCst, type ParsedFile } from './ast/ast-from-cst.ts';
import { check } from './check/check.ts';
import { definitionFromProgram } from './define/definition-from-program.ts';
import type { Definition } from './definition/definition.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import { Diagnostics } from './diagnostics/diagnostics.ts';
import type { Program } from './program/program.ts';
import type { FileText, SourceFile } from './source/source-file.ts';
import { reportNesting } from './syntax/nesting.ts';
import { parseText } from './syntax/parse-text.ts';
import { reportSyntaxErrors } from './syntax/syntax-problems.ts';

export interface Analysis {
  /** Nothing where there are errors. */
  readonly program: Program | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Compilation {
  /** Nothing where there are errors. */
  readonly definition: Definition | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export function compile(sources: readonly SourceFile[], fileText: FileText = () => undefined): Compilation {
  const { program, diagnostics } = analyse(sources, fileText);
  return { definition: program && definitionFromProgram(program), diagnostics };
}

/** All that can be said about the sources. `loadGrammar` must have been awaited; `fileText` finds the modules of hooks. */
export function analyse(sources: readonly SourceFile[], fileText: FileText = () => undefined): Analysis {
  const diagnostics = new Diagnostics();
  const files = parse(inOrder(sources), diagnostics);
  const ast = diagnostics.hasErrors ? undefined : astFromCst(files, diagnostics);
  const program = ast && !diagnostics.hasErrors ? check(ast, fileText, diagnostics) : undefined;
  return { program: diagnostics.hasErrors ? undefined : program, diagnostics: diagnostics.sorted() };
}

/** By path, so that the order in which files were found shows nowhere. */
function inOrder(sources: readonly SourceFile[]): readonly SourceFile[] {
  return [...sources].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function parse(sources: readonly SourceFile[], diagnostics: Diagnostics): readonly ParsedFile[] {
  return sources.map((source) => {
    const tree = parseText(source.text);
    if (tree.hasErrors) reportSyntaxErrors(source, tree, diagnostics);
    else reportNesting(source, tree, diagnostics);
    return { source, tree };
  });
}
