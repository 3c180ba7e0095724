/**
 * Sources in, definition out. Each phase relies on the one before: abstract syntax is built only from trees without
 * errors, a definition only from a program in which every rule holds.
 */
import type { Ast } from './ast/ast.ts';
import { astFromCst } from './ast/ast-from-cst.ts';
import { check } from './check/check.ts';
import type { Definition } from './definition/definition.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import { Diagnostics } from './diagnostics/diagnostics.ts';
import { reportLiveLists } from './live-lists.ts';
import type { Program } from './program/program.ts';
import { definitionOf, reportRepeatedEffects } from './repeated-effects.ts';
import type { FileText, SourceFile } from './source/source-file.ts';
import { parseText } from './syntax/parse-text.ts';
import { reportNesting, type SyntaxTree } from './syntax/syntax-node.ts';
import { reportSyntaxErrors } from './syntax/syntax-problems.ts';

interface Analysis {
  /** The program; undefined if there are errors. */
  readonly program: Program | undefined;
  /** False if some text cannot be read: the rules have not been checked then, and more errors may appear. */
  readonly isComplete: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Compilation extends Analysis {
  /** The definition; undefined if there are errors, or if the caller does not need it. */
  readonly definition: Definition | undefined;
}

export interface CompileOptions {
  /** Whether to make the definition of a program without errors; by default it is made. */
  readonly needsDefinition?: ((program: Program) => boolean) | undefined;
}

export function compile(
  sources: readonly SourceFile[],
  fileText?: FileText,
  { needsDefinition = () => true }: CompileOptions = {},
): Compilation {
  const analysis = analyse(sources, fileText);
  const { program } = analysis;
  const isNeeded = program !== undefined && needsDefinition(program);
  return { ...analysis, definition: isNeeded ? definitionOf(program) : undefined };
}

/** Analyses the sources completely. `loadGrammar` must have been awaited; `fileText` finds the modules of hooks. */
export function analyse(sources: readonly SourceFile[], fileText: FileText = () => undefined): Analysis {
  const diagnostics = new Diagnostics();
  const ast = read(sources, diagnostics);
  const isComplete = !diagnostics.hasErrors;
  const program = isComplete ? check(ast, fileText, diagnostics) : undefined;
  if (program && !diagnostics.hasErrors) {
    reportRepeatedEffects(program, fileText, (...found) => diagnostics.report(...found));
    reportLiveLists(program, (...found) => diagnostics.report(...found));
  }
  return { program: diagnostics.hasErrors ? undefined : program, isComplete, diagnostics: diagnostics.sorted() };
}

/**
 * Reads the files in the order of their paths, so that the order in which they were found does not matter. No tree
 * outlives its file.
 */
function read(sources: readonly SourceFile[], diagnostics: Diagnostics): Ast {
  const inOrder = [...sources].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { declarations: inOrder.flatMap((source) => readSource(source, diagnostics)?.ast.declarations ?? []) };
}

/** Reads one file, if its text can be read. */
export function readSource(source: SourceFile, diagnostics: Diagnostics): { tree: SyntaxTree; ast: Ast } | undefined {
  const tree = parseText(source.text);
  if (tree.hasErrors) reportSyntaxErrors(source, tree, diagnostics);
  const isShallow = reportNesting(source, tree, diagnostics);
  return tree.hasErrors || !isShallow ? undefined : { tree, ast: astFromCst(source, tree, diagnostics) };
}
