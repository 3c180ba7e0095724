import type { Connection } from 'vscode-languageserver/node';
import { diagnosticsOf } from './features/diagnostics.ts';
import type { KilnFile } from './project/kiln-file.ts';
import type { Project } from './project/project.ts';
import type { OpenFile } from './project/workspace.ts';

/** In characters. A longer text is read bit by bit when it is new. */
const QUICKLY_READ = 50_000;
const FILES_AT_ONCE = 20;
/** In milliseconds. */
const REST = 120;

/** Tells the editor what is wrong with the files, each time that it differs from what was told before. */
export class Publisher {
  readonly #connection: Connection;
  readonly #told = new Map<string, string>();
  #later: NodeJS.Timeout | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** All files, a few at a time: there may be many, and questions to be answered meanwhile. */
  publishSoon(project: Project, files: readonly KilnFile[] = project.files): void {
    for (const file of files.slice(0, FILES_AT_ONCE)) if (project.file(file.path) === file) this.#tell(project, file);
    const rest = files.slice(FILES_AT_ONCE);
    if (rest.length > 0) setImmediate(() => this.publishSoon(project, rest));
  }

  /** At once after a key: what is wrong with the text itself, and what was known of the rest. */
  publishOpen(open: OpenFile | undefined): void {
    clearTimeout(this.#later);
    if (!open || !(open.project.isKnown || open.file.text.length < QUICKLY_READ)) return;
    const tell = () => this.#tell(open.project, open.file, true);
    // A very long declaration is read when no further key follows at once.
    if (open.file.sections.some(({ isHeavy }) => isHeavy)) this.#later = setTimeout(tell, REST);
    else tell();
  }

  clear(uri: string): void {
    if (!this.#told.delete(uri)) return;
    this.#send(uri, []);
  }

  #tell(project: Project, file: KilnFile, isNew = false): void {
    const diagnostics = diagnosticsOf(project, file).map(({ shown }) => shown);
    const text = JSON.stringify(diagnostics);
    const before = this.#told.get(file.uri) ?? (isNew ? undefined : '[]');
    if (text === before) return;
    this.#told.set(file.uri, text);
    this.#send(file.uri, diagnostics);
  }

  #send(uri: string, diagnostics: Parameters<Connection['sendDiagnostics']>[0]['diagnostics']): void {
    void this.#connection.sendDiagnostics({ uri, diagnostics });
  }
}
