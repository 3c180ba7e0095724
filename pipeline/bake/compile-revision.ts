/** A git revision as a program: compiled as it is there, whatever the work tree looks like. */
import { analyse } from '../../compiler/compile.ts';
import { definitionFromProgram } from '../../compiler/define/definition-from-program.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { Program } from '../../compiler/program/program.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import type { SourceProblem } from '../../files/source-problem.ts';
import type { Repository } from '../git/repository.ts';
import { sourcesAt } from '../git/sources-at.ts';

export type CompiledRevision =
  | {
      readonly kind: 'compiled';
      readonly definition: Definition;
      readonly program: Program;
      readonly sources: readonly SourceFile[];
      readonly warnings: readonly Diagnostic[];
    }
  /** The files cannot be read. */
  | { readonly kind: 'unreadable'; readonly problems: readonly SourceProblem[] }
  | {
      readonly kind: 'wrong';
      readonly diagnostics: readonly Diagnostic[];
      readonly sources: readonly SourceFile[];
      readonly isComplete: boolean;
    };

/** `loadGrammar` must have been awaited. */
export function compileRevision(repository: Repository, revision: string, folder: string): CompiledRevision {
  const { sources, problems, fileText } = sourcesAt(repository, revision, folder);
  if (problems.length > 0) return { kind: 'unreadable', problems };
  const { program, diagnostics, isComplete } = analyse(sources, fileText);
  if (program === undefined) return { kind: 'wrong', diagnostics, sources, isComplete };
  return { kind: 'compiled', definition: definitionFromProgram(program), program, sources, warnings: diagnostics };
}
