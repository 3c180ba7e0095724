/**
 * The files of a new project, as data: a name and a template come in, paths and texts go out, in the order of their
 * paths and always the same. Nothing is written here. The texts are in `files/`, and embedded by `npm run embed`.
 */

import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { systemReason } from '../../files/system-reason.ts';
import { makeFolder, writeWhole } from '../../files/write-file.ts';
import texts from './files.json' with { type: 'json' };

/** The entries of `package.json` about Kiln itself. */
export interface KilnPackage {
  readonly spec: string;
  /** The packages that may run scripts when they are installed, for npm 11 and newer. */
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
  const text = { name, private: true, type: 'module', scripts, devDependencies: { 'kiln-lang': spec }, allowScripts };
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

/**
 * Fills in a template: there the application is `my-app`, its database `my_app`, and each of its own variables
 * `MY_VARIABLE`.
 */
function textFor(text: string, name: string, variables: readonly string[]): string {
  return text
    .replace(/^.*MY_VARIABLE.*\n/gm, (line) => variables.map((each) => line.replaceAll('MY_VARIABLE', each)).join(''))
    .replaceAll('my-app', name)
    .replaceAll('my_app', name.replaceAll('-', '_'));
}

// ── Templates ────────────────────────────────────────────────────────────────────────────────────────────────────────

// The templates of a new application: a small one in `files/starter`, or one of the examples, which are read from the
// folder beside Kiln's own code, in a checkout as in a package.

export const TEMPLATES = ['starter', 'blog', 'bookings', 'helpdesk', 'projects', 'shop'] as const;
export type Template = (typeof TEMPLATES)[number];

export interface Application {
  /** The sources, the code of hooks, and a test. */
  readonly files: readonly ProjectFile[];
  readonly variables: readonly string[];
  /** The README of the example; null for the starter. */
  readonly readme: string | null;
}

/** Small enough to be read in a minute: one model, what can be asked of it, and some records to look at. */
export const STARTER = { path: 'tasks.kiln', text: texts['starter/tasks.kiln'] } satisfies ProjectFile;

/** Gives a sentence where the examples did not come with this Kiln. */
export function applicationOf(template: Template): Application | string {
  const test = { path: TEST, text: texts[`${template}/${TEST}`] };
  if (template === 'starter') return { files: [STARTER, test], variables: [], readme: null };
  const folder = folderAbove(import.meta.dirname, join('examples', template));
  if (folder === undefined) return `this Kiln came without its examples, so there is no template \`${template}\``;
  const readme = readmeOfCopy(readFileSync(join(folder, 'README.md'), 'utf8'), template);
  return { files: [...exampleFiles(folder), test], variables: VARIABLES[template] ?? [], readme };
}

const TEST = 'test/api.test.mjs';

const VARIABLES: Partial<Record<Template, readonly string[]>> = {
  shop: ['KILN_JWT_JWKS_URL', 'KILN_JWT_ISSUER', 'KILN_JWT_AUDIENCE'],
};

function exampleFiles(folder: string): readonly ProjectFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter(isPartOfApplication)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

/** An example that has been started keeps its database and its artifacts in folders of their own. */
function isPartOfApplication(path: string): boolean {
  return /\.(kiln|ts|html|txt)$/.test(path) && !/(^|\/)(\.|node_modules\/|build\/|test\/)/.test(path);
}

/** This file is in `pipeline/new` or, bundled, in `dist/chunks`. */
function folderAbove(from: string, path: string): string | undefined {
  const folder = join(from, path);
  if (existsSync(folder)) return folder;
  return dirname(from) === from ? undefined : folderAbove(dirname(from), path);
}

// ── Example readme ───────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The README of an example, for a copy of the example: its commands run in the folder of the copy. What it says of its
 * accounts and requests stays, because that is what somebody tries first.
 */
function readmeOfCopy(readme: string, example: string): string {
  const folder = `kiln/examples/${example}`;
  return (
    readme
      .replace(/^# .*\n+/, '')
      .replace(/^`kiln new .*\n*/m, '')
      .replaceAll(`${folder}/`, '')
      .replaceAll(` ${folder}`, '')
      .replace(/^```console .*$/gm, '```console')
      // The documents are not copied.
      .replace(/\[([^\]]+)\]\(\.\.\/\.\.\/[^)]+\)/g, '$1')
      .trimEnd()
  );
}

/** Combines the texts: first the application, then the files that every project has. */
function readmeWith(projectReadme: string, exampleReadme: string): string {
  const [title = '', ...rest] = projectReadme.split('\n\n');
  return [title, exampleReadme, '## Work on it', ...rest].join('\n\n');
}

// ── Name from folder ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Kubernetes allows 63 characters in a label; what is made of the name adds a few. */
const LONGEST = 40;

/**
 * The application is called like its folder, as far as that can name an image, a Kubernetes service and a database
 * alike: small letters, digits and single `-`, a letter first. `My Blog` → `my-blog`.
 */
export function nameFromFolder(folder: string): string {
  const words = basename(resolve(folder))
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '');
  const name = /^[a-z]/.test(words) ? words : `app-${words}`;
  return name.slice(0, LONGEST).replace(/-+$/, '');
}

// ── Project file ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A file of a new project. */
export interface ProjectFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  readonly text: string | Uint8Array;
  readonly isExecutable?: boolean;
}

// ── Write project ────────────────────────────────────────────────────────────────────────────────────────────────────

// Writes a new project to the disk: all of it, or nothing and a sentence about the obstacle.

/**
 * Explains why a folder cannot be used; undefined where it can be made or is empty. A repository without files counts
 * as empty.
 */
export function folderRefusal(folder: string): string | undefined {
  // `kiln new "$NAME"` without a NAME: it must not write among the files that are here.
  if (folder === '') return 'the name of the folder is empty; write `.` for this folder';
  try {
    const entries = readdirSync(folder).filter((entry) => entry !== '.git');
    return entries.length === 0
      ? undefined
      : `\`${folder}\` is not empty: a new project needs a folder of its own, and \`${entries.sort()[0]}\` is in this one`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') return `\`${folder}\` is a file, or a part of its path is`;
    return `\`${folder}\` cannot be read: ${systemReason(error)}`;
  }
}

/** Writes the files into a folder that was not rejected. If one fails, all that was written is removed. */
export function writeProject(folder: string, files: readonly ProjectFile[]): string | undefined {
  const missing = missingFolders(resolve(folder));
  for (const file of files) {
    const refusal = writeProjectFile(folder, file);
    if (refusal) {
      takeBack(folder, files);
      removeEmpty(missing);
      return refusal;
    }
  }
  return undefined;
}

/** The folder and those above it that have to be made, the innermost first. */
function missingFolders(folder: string): readonly string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}

function takeBack(folder: string, files: readonly ProjectFile[]): void {
  for (const { path } of files) rmSync(join(folder, path.replace(/\/.*/, '')), { recursive: true, force: true });
}

/** Removes empty folders. Files that somebody else has added in the meantime stay. */
function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders) if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

function writeProjectFile(folder: string, { path, text, isExecutable = false }: ProjectFile): string | undefined {
  const file = join(folder, path);
  return makeFolder(dirname(file)) ?? writeWhole(file, text, isExecutable ? 0o755 : undefined);
}
