import { basename, resolve } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import type { Project } from '../dev/dev-server.ts';
import { readSources } from '../files/read-sources.ts';
import { compileSources, reportDiagnostics, reportProblems } from './project.ts';
import { projectHooks } from './project-hooks.ts';

/** A project's definition; undefined where it is not right, which has been said then. */
export async function projectDefinition(dir: string): Promise<{ folder: string; definition: Definition } | undefined> {
  const read = readSources(dir);
  if (read.problems.length > 0) {
    reportProblems(read.problems);
    return undefined;
  }
  const { definition, diagnostics, isComplete } = await compileSources(read);
  reportDiagnostics(diagnostics, read, isComplete);
  return definition && { folder: read.folder, definition };
}

/** All that a server needs. */
export async function compiledProject(dir: string): Promise<Project | undefined> {
  const found = await projectDefinition(dir);
  if (!found) return undefined;
  const { folder, definition } = found;
  const hooks = await projectHooks(folder, definition);
  return hooks && { definition, hooks, openApi: documentOf(folder, definition) };
}

function documentOf(folder: string, definition: Definition): string {
  const title = basename(resolve(folder));
  return openApiText(openApiFromDefinition(definition, { title, version: 'development' }));
}
