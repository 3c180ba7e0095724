import { basename, resolve } from 'node:path';
import { problemsText } from '../../compiler/change/problem-place.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { readSources } from '../../files/read-sources.ts';
import type { CompileProblem } from '../../runtime/console/live/live-event.ts';
import { problemFromSentence, problemsFromDiagnostics } from '../dev/compile-problems.ts';
import type { Project } from '../dev/dev-server.ts';
import type { ProblemsText } from '../dev/loss-text.ts';
import { placesIn } from '../difference/subject-place.ts';
import { compileSources, reportDiagnostics, reportProblems, sourceMapOf } from './project.ts';
import { projectHooks } from './project-hooks.ts';
import { hasColour } from './terminal.ts';
import { renamesIn } from './write-was.ts';

export interface ProjectDefinition {
  readonly folder: string;
  readonly definition: Definition;
  /** Problems of a change, each with its line of the sources. */
  readonly problemsText: ProblemsText;
  readonly placesAgainst: Project['placesAgainst'];
  readonly renames: Project['renames'];
}

/** Told of what has been said, for others than those at the terminal. */
export type TellProblems = (problems: readonly CompileProblem[]) => void;

/** A project's definition; undefined where it is not right, which has been said then. */
export async function projectDefinition(dir: string, tell?: TellProblems): Promise<ProjectDefinition | undefined> {
  const read = readSources(dir);
  if (read.problems.length > 0) {
    reportProblems(read.problems);
    tell?.(read.problems.map(({ message }) => problemFromSentence(message)));
    return undefined;
  }
  const { definition, program, diagnostics, isComplete } = await compileSources(read);
  reportDiagnostics(diagnostics, read, isComplete);
  const sources = sourceMapOf(read);
  if (definition === undefined || program === undefined) {
    tell?.(problemsFromDiagnostics(diagnostics, sources));
    return undefined;
  }
  const options = { colour: hasColour(process.stderr) };
  return {
    folder: read.folder,
    definition,
    problemsText: (problems) => problemsText(problems, program, sources, options),
    placesAgainst: (other) => placesIn(program, sources, other),
    renames: renamesIn(read, program, sources),
  };
}

/** All that a server needs. */
export async function compiledProject(dir: string, tell: TellProblems): Promise<Project | undefined> {
  const found = await projectDefinition(dir, tell);
  if (!found) return undefined;
  const { folder, ...project } = found;
  const hooks = await projectHooks(folder, project.definition, tell);
  return hooks && { ...project, hooks, openApi: () => documentOf(folder, project.definition) };
}

/** The text of `/openapi.json`. */
export function documentOf(folder: string, definition: Definition): string {
  const title = basename(resolve(folder));
  return openApiText(openApiFromDefinition(definition, { title, version: 'development' }));
}
