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
import { reportLiveLists, reportStaleness } from './live-lists.ts';
import type { Program } from './program/program.ts';
import { definitionOf, reportRepeatedEffects } from './repeated-effects.ts';
import { reportTrueWhenSignedOut } from './signed-out.ts';
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
  /** The files that earlier compilations have read: one whose text is the same is not read again. */
  readonly known?: KnownFiles | undefined;
}

/** Files without a diagnostic, by path. */
export type KnownFiles = Map<string, { readonly text: string; readonly ast: Ast }>;

export function compile(
  sources: readonly SourceFile[],
  fileText?: FileText,
  { needsDefinition = () => true, known }: CompileOptions = {},
): Compilation {
  const analysis = analyse(sources, fileText, known);
  const { program } = analysis;
  const isNeeded = program !== undefined && needsDefinition(program);
  return { ...analysis, definition: isNeeded ? definitionOf(program) : undefined };
}

/** Analyses the sources completely. `loadGrammar` must have been awaited; `fileText` finds the modules of hooks. */
export function analyse(
  sources: readonly SourceFile[],
  fileText: FileText = () => undefined,
  known: KnownFiles = new Map(),
): Analysis {
  const diagnostics = new Diagnostics();
  const ast = read(sources, diagnostics, known);
  const isComplete = !diagnostics.hasErrors;
  const program = isComplete ? check(ast, fileText, diagnostics) : undefined;
  if (program) reportOfWhole(program, fileText, diagnostics);
  return { program: diagnostics.hasErrors ? undefined : program, isComplete, diagnostics: diagnostics.sorted() };
}

/** Reports what is known only of a whole program without errors. */
export function reportOfWhole(program: Program, fileText: FileText, diagnostics: Diagnostics): void {
  if (diagnostics.hasErrors) return;
  const report: Diagnostics['report'] = (...found) => diagnostics.report(...found);
  reportRepeatedEffects(program, fileText, report);
  reportLiveLists(program, report);
  reportStaleness(program, report);
  reportTrueWhenSignedOut(program, report);
}

/**
 * Reads the files in the order of their paths, so that the order in which they were found does not matter. No tree
 * outlives its file.
 */
function read(sources: readonly SourceFile[], diagnostics: Diagnostics, known: KnownFiles): Ast {
  const inOrder = [...sources].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { declarations: inOrder.flatMap((source) => astOf(source, diagnostics, known)?.declarations ?? []) };
}

function astOf(source: SourceFile, diagnostics: Diagnostics, known: KnownFiles): Ast | undefined {
  const { path, text } = source;
  const before = known.get(path);
  if (before?.text === text) return before.ast;
  const { count } = diagnostics;
  const ast = readSource(source, diagnostics)?.ast;
  if (ast && diagnostics.count === count) known.set(path, { text, ast });
  return ast;
}

/** Reads one file, if its text can be read. */
export function readSource(source: SourceFile, diagnostics: Diagnostics): { tree: SyntaxTree; ast: Ast } | undefined {
  const tree = parseText(source.text);
  if (tree.hasErrors) reportSyntaxErrors(source, tree, diagnostics);
  const isShallow = reportNesting(source, tree, diagnostics);
  return tree.hasErrors || !isShallow ? undefined : { tree, ast: astFromCst(source, tree, diagnostics) };
}
