/**
 * The files of a new project, as data: a name and a template come in, paths and texts go out, in the order of their
 * paths and always the same. Nothing is written here. The texts are in `files/`, and embedded by `npm run embed`.
 */
import { readmeWith } from './example-readme.ts';
import texts from './files.json' with { type: 'json' };
import { databaseNameFrom } from './name-from-folder.ts';
import type { ProjectFile } from './project-file.ts';
import type { Application } from './templates.ts';

/** What `package.json` says of Kiln itself. */
export interface KilnPackage {
  readonly spec: string;
  /** Which packages may run scripts when they are installed, for npm 11 and newer. */
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

export function projectFiles(name: string, application: Application, kiln: KilnPackage): readonly ProjectFile[] {
  return [
    ...application.files,
    { path: 'kiln.json', text: `${JSON.stringify({ name }, undefined, 2)}\n` },
    { path: 'package.json', text: packageText(name, kiln) },
    ...filesOfEveryProject(name, application),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Kiln is for development: an image needs only the packages that hooks import, and they are bundled. */
function packageText(name: string, { spec, allowScripts }: KilnPackage): string {
  const scripts = {
    dev: 'kiln dev',
    check: 'kiln check',
    format: 'kiln fmt',
    build: 'kiln build',
    test: 'kiln check && node --test --test-reporter=spec test/*.test.mjs',
  };
  const text = { name, private: true, type: 'module', scripts, devDependencies: { kiln: spec }, allowScripts };
  return `${JSON.stringify(text, undefined, 2)}\n`;
}

const EVERY_PROJECT = 'project/';

function filesOfEveryProject(name: string, application: Application): readonly ProjectFile[] {
  return Object.entries(texts)
    .filter(([path]) => path.startsWith(EVERY_PROJECT))
    .map(([path, text]) => projectFile(path.slice(EVERY_PROJECT.length), text, name, application));
}

function projectFile(path: string, text: string, name: string, application: Application): ProjectFile {
  const { variables } = application;
  const whole = wholeText(path, text, application);
  return { path, text: textFor(whole, name, variables), ...(path.endsWith('.sh') ? { isExecutable: true } : {}) };
}

function wholeText(path: string, text: string, { variables, readme }: Application): string {
  if (path === '.env.example' && variables.length > 0) return text + texts['tokens.env.example'];
  return path === 'README.md' && readme !== null ? readmeWith(text, readme) : text;
}

/** In the files the application is `my-app`, its database `my_app`, and each of its own variables `MY_VARIABLE`. */
function textFor(text: string, name: string, variables: readonly string[]): string {
  return text
    .replace(/^.*MY_VARIABLE.*\n/gm, (line) => variables.map((each) => line.replaceAll('MY_VARIABLE', each)).join(''))
    .replaceAll('my-app', name)
    .replaceAll('my_app', databaseNameFrom(name));
}
