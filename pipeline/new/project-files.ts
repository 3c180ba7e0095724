/**
 * The files of a new project, as data: a name and a template come in, paths and texts go out, in the order of their
 * paths and always the same. Nothing is written here.
 */
import { APPLICATION_MODULE } from './application-tests.ts';
import { composeFiles } from './compose-files.ts';
import { EDITOR_FILES } from './editor-files.ts';
import { kubernetesFiles } from './kubernetes-files.ts';
import type { NewProject, ProjectFile } from './project-file.ts';
import { readmeFile } from './readme-file.ts';
import type { Application } from './templates.ts';
import { workflowFile } from './workflow-file.ts';

export function projectFiles(name: string, { files, variables }: Application): readonly ProjectFile[] {
  const project: NewProject = { name, variables };
  return [
    ...files,
    { path: 'test/application.mjs', text: APPLICATION_MODULE },
    { path: 'kiln.json', text: `${JSON.stringify({ name }, undefined, 2)}\n` },
    { path: 'package.json', text: packageText(name) },
    ...EDITOR_FILES,
    ...composeFiles(project),
    ...kubernetesFiles(project),
    workflowFile(project),
    readmeFile(project),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** For `npm test`, and for the packages that hooks may come to need. The application itself needs none. */
function packageText(name: string): string {
  const scripts = { dev: 'kiln dev', check: 'kiln check', test: 'node --test --test-reporter=spec test/*.test.mjs' };
  return `${JSON.stringify({ name, private: true, type: 'module', scripts }, undefined, 2)}\n`;
}
