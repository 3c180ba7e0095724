/**
 * The projects of an editor's workspace. A workspace folder is a project, as it is for `kiln check`; a folder within it that
 * has a `.kiln` or a `.git` of its own, or that the editor's settings name, is another one. A file outside of all folders
 * belongs with the sources beside it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TextDocumentContentChangeEvent, TextDocumentItem } from 'vscode-languageserver/node';
import { isTemplatePath } from '../../compiler/check/mails.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { isSkippedFolder, isSourceName, type SourceProblem } from '../../files/source-rules.ts';
import { KilnFile } from './kiln-file.ts';
import { Project } from './project.ts';

export interface OpenFile {
  readonly project: Project;
  readonly file: KilnFile;
}

interface WorkspaceEvents {
  /** A file has changed, has come or is gone. */
  changed(project: Project): void;
  removed(uri: string): void;
  forgotten(project: Project): void;
  cannotRead(problem: SourceProblem): void;
}

export class Workspace {
  readonly #events: WorkspaceEvents;
  readonly #folders = new Set<string>();
  readonly #named = new Set<string>();
  readonly #projects = new Map<string, Project>();
  /** The files by path, or by address if they have no path. */
  readonly #files = new Map<string, OpenFile>();
  readonly #open = new Set<string>();

  constructor(events: WorkspaceEvents) {
    this.#events = events;
  }

  get projects(): readonly Project[] {
    return [...this.#projects.values()];
  }

  find(uri: string): OpenFile | undefined {
    return this.#files.get(keyOf(uri));
  }

  isOpen(file: KilnFile): boolean {
    return this.#open.has(keyOf(file.uri));
  }

  /**
   * Sets the folders that the editor's settings call projects; a relative one begins at any folder of the workspace.
   */
  nameProjects(folders: readonly string[]): void {
    for (const folder of folders) this.#named.add(folder);
  }

  addFolder(uri: string): void {
    const folder = keyOf(uri);
    this.#folders.add(folder);
    this.#adoptLoose(folder);
    this.#read(folder);
  }

  removeFolder(uri: string): void {
    const folder = keyOf(uri);
    this.#folders.delete(folder);
    for (const [path, project] of [...this.#projects]) {
      if (!isWithin(path, folder) || this.#folderAround(path)) continue;
      const stillOpen = project.files.filter((file) => this.isOpen(file));
      this.#forget(path, project);
      for (const { uri, text, version } of stillOpen) this.open({ uri, text, version });
    }
  }

  /** Reads the projects again, after something on the disk has changed. */
  readAgain(): void {
    for (const folder of this.#folders) this.#read(folder);
    for (const project of this.projects) this.#events.changed(project);
  }

  // ── Documents ─────────────────────────────────────────────────────────────────────────────────────────────────────

  open({ uri, text, version }: Omit<TextDocumentItem, 'languageId'>): void {
    const key = keyOf(uri);
    if (isTemplate(key) && !this.#isOwnTemplate(key)) return;
    this.#open.add(key);
    const project = this.#projectOf(key);
    const known = this.#files.get(key);
    // Editors may write an address in another way than we do.
    if (known && known.file.uri !== uri) this.#events.removed(known.file.uri);
    if (known) known.file.replace(uri, text, version);
    else this.#add(project, key, new KilnFile(pathIn(project.folder, key), uri, text, version));
    this.#touch(project);
  }

  change(uri: string, changes: readonly TextDocumentContentChangeEvent[], version: number): OpenFile | undefined {
    const found = this.find(uri);
    if (!found) return undefined;
    for (const change of changes) found.file.apply(change, version);
    this.#touch(found.project);
    return found;
  }

  close(uri: string): void {
    const key = keyOf(uri);
    const found = this.#files.get(key);
    this.#open.delete(key);
    if (!found) return;
    const onDisk = found.project.folder && isProjectPath(found.file.path) ? textOnDisk(key) : undefined;
    if (onDisk === undefined) this.#drop(key);
    else found.file.replace(uri, onDisk, 0);
    this.#touch(found.project);
    if (!this.#folderFor(key)) this.#leave(found.project);
  }

  /** Drops a project that was read only because one of its files was open. */
  #leave(project: Project): void {
    if (project.files.some((file) => this.isOpen(file))) return;
    for (const [path, known] of [...this.#projects]) if (known === project) this.#forget(path, project);
  }

  #touch(project: Project): void {
    project.touch();
    this.#events.changed(project);
  }

  // ── The disk ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #read(folder: string): void {
    const { sources, problems } = readSources(folder);
    for (const problem of problems) if (problem.kind !== 'nothing-to-read') this.#events.cannotRead(problem);
    const there = new Set(sources.map(({ path }) => join(folder, path)));
    const gone = [...this.#files.keys()].filter(
      (path) => isWithin(path, folder) && this.#folderAround(path) === folder && !there.has(path),
    );
    for (const path of gone) if (!this.#open.has(path)) this.#drop(path);
    for (const { path, text } of sources) this.#put(join(folder, path), text);
  }

  #put(path: string, text: string): void {
    if (this.#open.has(path)) return;
    const known = this.#files.get(path);
    if (known?.file.text === text) return;
    const project = this.#projectOf(path);
    const uri = pathToFileURL(path).href;
    if (known) known.file.replace(known.file.uri, text, 0);
    else this.#add(project, path, new KilnFile(pathIn(project.folder, path), uri, text));
    this.#touch(project);
  }

  #add(project: Project, key: string, file: KilnFile): void {
    this.#files.set(key, { project, file });
    project.add(file);
  }

  #drop(key: string): void {
    const found = this.#files.get(key);
    if (!found) return;
    this.#files.delete(key);
    found.project.remove(found.file.path);
    this.#events.removed(found.file.uri);
    this.#events.changed(found.project);
  }

  #forget(path: string, project: Project): void {
    for (const file of project.files) this.#drop(keyOf(file.uri));
    this.#projects.delete(path);
    this.#events.forgotten(project);
  }

  // ── Which project ─────────────────────────────────────────────────────────────────────────────────────────────────

  #projectOf(key: string): Project {
    const known = this.#files.get(key)?.project;
    if (known) return known;
    if (!isAbsolute(key)) return this.#projectAt(key, undefined);
    const folder = this.#folderFor(key);
    return folder ? this.#projectAt(this.#innermost(dirname(key), folder)) : this.#looseProject(dirname(key));
  }

  /** Other folders may be called `mails`, too. */
  #isOwnTemplate(key: string): boolean {
    return this.#folderFor(key) !== undefined && isTemplatePath(pathIn(this.#projectOf(key).folder, key));
  }

  /** The workspace folder whose sources the file is among. */
  #folderFor(key: string): string | undefined {
    const around = this.#folderAround(key);
    return around && isProjectPath(relative(around, key)) ? around : undefined;
  }

  #projectAt(key: string, folder: string | undefined = key): Project {
    const known = this.#projects.get(key);
    if (known) return known;
    const project = new Project(folder, folder && existsSync(folder) ? fileTextIn(folder) : () => undefined);
    this.#projects.set(key, project);
    return project;
  }

  /** The deepest workspace folder around a path. */
  #folderAround(path: string): string | undefined {
    return [...this.#folders].filter((folder) => isWithin(path, folder)).sort((a, b) => b.length - a.length)[0];
  }

  #innermost(folder: string, outermost: string): string {
    if (folder === outermost || !isWithin(folder, outermost)) return outermost;
    const isNamed = [...this.#named].some((name) => resolve(outermost, name) === folder);
    const isProject = isNamed || ['.kiln', '.git'].some((mark) => existsSync(join(folder, mark)));
    return isProject ? folder : this.#innermost(dirname(folder), outermost);
  }

  #looseProject(folder: string): Project {
    const known = this.#projects.get(folder);
    const project = this.#projectAt(folder);
    if (known) return project;
    for (const { path, text } of sourcesBeside(folder)) {
      const full = join(folder, path);
      if (!this.#files.has(full)) this.#add(project, full, new KilnFile(path, pathToFileURL(full).href, text));
    }
    return project;
  }

  /** Adopts files that were opened before the folder was. */
  #adoptLoose(folder: string): void {
    for (const [path, { project, file }] of [...this.#files]) {
      if (!isWithin(path, folder) || !isProjectPath(relative(folder, path))) continue;
      this.#files.delete(path);
      project.remove(file.path);
      const owner = this.#projectOf(path);
      this.#add(owner, path, new KilnFile(pathIn(owner.folder, path), file.uri, file.text, file.version));
      this.#events.changed(owner);
    }
  }
}

// ── Source paths ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Files by their path, and what `kiln check` would read of them.

/** The path of a file, or the address as it is. */
function keyOf(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri).replace(/(?<=.)[/\\]$/, '') : uri;
  } catch {
    return uri;
  }
}

function pathIn(folder: string | undefined, key: string): string {
  return folder === undefined ? key : relative(folder, key).split(sep).join('/');
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether it is the template of a mail of some project. */
function isTemplate(path: string): boolean {
  return /(^|[/\\])mails[/\\].*\.(html|txt)$/.test(path);
}

/** Whether `kiln check` would read the file. */
function isProjectPath(path: string): boolean {
  const folders = path.split(/[/\\]/).slice(0, -1);
  return (isSourceName(path) || isTemplate(path)) && !folders.some(isSkippedFolder);
}

function textOnDisk(path: string): string | undefined {
  return existsSync(path) ? readSources(path).sources[0]?.text : undefined;
}

function sourcesBeside(folder: string): readonly SourceFile[] {
  try {
    const names = readdirSync(folder).filter(isSourceName);
    return names.flatMap((name) => readSources(join(folder, name)).sources);
  } catch {
    return [];
  }
}
