/**
 * The files of a new project, as data: a name and a template come in, paths and texts go out, in the order of their
 * paths and always the same. Nothing is written here. The texts are in `files/`, and embedded by `npm run embed`.
 */
import texts from './files.json' with { type: 'json' };
import { databaseNameFrom } from './name-from-folder.ts';
import type { ProjectFile } from './project-file.ts';
import type { Application } from './templates.ts';

export function projectFiles(name: string, { files, variables }: Application): readonly ProjectFile[] {
  return [
    ...files,
    { path: 'kiln.json', text: `${JSON.stringify({ name }, undefined, 2)}\n` },
    { path: 'package.json', text: packageText(name) },
    ...filesOfEveryProject(name, variables),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** For `npm test`, and for the packages that hooks may come to need. The application itself needs none. */
function packageText(name: string): string {
  const scripts = { dev: 'kiln dev', check: 'kiln check', test: 'node --test --test-reporter=spec test/*.test.mjs' };
  return `${JSON.stringify({ name, private: true, type: 'module', scripts }, undefined, 2)}\n`;
}

const EVERY_PROJECT = 'project/';

function filesOfEveryProject(name: string, variables: readonly string[]): readonly ProjectFile[] {
  return Object.entries(texts)
    .filter(([path]) => path.startsWith(EVERY_PROJECT))
    .map(([path, text]) => projectFile(path.slice(EVERY_PROJECT.length), text, name, variables));
}

function projectFile(path: string, text: string, name: string, variables: readonly string[]): ProjectFile {
  const hasTokens = path === '.env.example' && variables.length > 0;
  const whole = hasTokens ? text + texts['tokens.env.example'] : text;
  return { path, text: textFor(whole, name, variables), ...(path.endsWith('.sh') ? { isExecutable: true } : {}) };
}

/** In the files the application is `my-app`, its database `my_app`, and each of its own variables `MY_VARIABLE`. */
function textFor(text: string, name: string, variables: readonly string[]): string {
  return text
    .replace(/^.*MY_VARIABLE.*\n/gm, (line) => variables.map((each) => line.replaceAll('MY_VARIABLE', each)).join(''))
    .replaceAll('my-app', name)
    .replaceAll('my_app', databaseNameFrom(name));
}
