/** An editor for tests: a folder with sources, and a language server that is spoken to as editors do, over its streams. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type ClientCapabilities,
  createProtocolConnection,
  type Diagnostic,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  type Range,
  StreamMessageReader,
  StreamMessageWriter,
  type TextEdit,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { buildOnce } from '../support/build-once.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const KILN = join(ROOT, 'dist/kiln.js');

const CAPABILITIES: ClientCapabilities = {
  workspace: { workspaceFolders: true, didChangeWatchedFiles: { dynamicRegistration: true } },
  textDocument: { completion: { completionItem: { snippetSupport: true } } },
};

interface Cursor {
  readonly path: string;
  readonly position: Position;
}

export class Editor {
  readonly folder = mkdtempSync(join(tmpdir(), 'kiln-lsp-'));
  readonly process: ChildProcess;
  readonly connection: ProtocolConnection;
  readonly log: string[] = [];
  /** Everything that the server has said about files, in order. */
  readonly published: { readonly uri: string; readonly diagnostics: readonly Diagnostic[] }[] = [];
  readonly #documents = new Map<string, TextDocument>();
  readonly #diagnostics = new Map<string, readonly Diagnostic[]>();
  #onDiagnostics: (() => void)[] = [];

  constructor() {
    buildOnce();
    this.process = spawn(process.execPath, [KILN, 'lsp', '--stdio'], { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdin, stdout } = this.process as ChildProcess & {
      stdin: NodeJS.WritableStream;
      stdout: NodeJS.ReadableStream;
    };
    this.connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => {
      this.#diagnostics.set(uri, diagnostics);
      this.published.push({ uri, diagnostics });
      for (const seen of this.#onDiagnostics.splice(0)) seen();
    });
    this.connection.onNotification('window/logMessage', ({ message }) => {
      this.log.push(message);
    });
    this.connection.onRequest('client/registerCapability', () => null);
    this.connection.listen();
  }

  /** Writes the files, and starts the server on their folder. */
  async start(files: Readonly<Record<string, string>> = {}, options: object = {}): Promise<InitializeResult> {
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    const result = await this.connection.sendRequest<InitializeResult>('initialize', {
      processId: process.pid,
      capabilities: CAPABILITIES,
      rootUri: null,
      workspaceFolders: [{ uri: pathToFileURL(this.folder).href, name: 'test' }],
      ...options,
    });
    await this.connection.sendNotification('initialized', {});
    return result;
  }

  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  uri(path: string): string {
    return path.includes(':') ? path : pathToFileURL(join(this.folder, path)).href;
  }

  /** Opens a text; `|` is where the cursor is. */
  async open(path: string, marked: string): Promise<Cursor> {
    const { text, cursor } = unmarked(marked);
    const uri = this.uri(path);
    const document = TextDocument.create(uri, 'kiln', 1, text);
    const known = this.#documents.get(path);
    this.#documents.set(path, document);
    if (known) {
      const version = known.version + 1;
      this.#documents.set(path, TextDocument.create(uri, 'kiln', version, text));
      await this.connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      });
    } else {
      await this.connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: 'kiln', version: 1, text },
      });
    }
    return { path, position: document.positionAt(cursor) };
  }

  async close(path: string): Promise<void> {
    this.#documents.delete(path);
    await this.connection.sendNotification('textDocument/didClose', { textDocument: { uri: this.uri(path) } });
  }

  /** Replaces a stretch, as typing does. */
  async edit(path: string, start: number, end: number, text: string): Promise<void> {
    const document = this.document(path);
    const range = { start: document.positionAt(start), end: document.positionAt(end) };
    const version = document.version + 1;
    TextDocument.update(document, [{ range, text }], version);
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri: document.uri, version },
      contentChanges: [{ range, text }],
    });
  }

  document(path: string): TextDocument {
    return this.#documents.get(path) as TextDocument;
  }

  /** Asks about a place. */
  ask<T>(method: string, { path, position }: Cursor, more: object = {}): Promise<T> {
    return this.connection.sendRequest<T>(`textDocument/${method}`, {
      textDocument: { uri: this.uri(path) },
      position,
      ...more,
    });
  }

  askFile<T>(method: string, path: string, more: object = {}): Promise<T> {
    return this.connection.sendRequest<T>(`textDocument/${method}`, { textDocument: { uri: this.uri(path) }, ...more });
  }

  /** The diagnostics of a file, once they fit. They come in their own time. */
  async diagnostics(path: string, fits: (found: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]> {
    for (;;) {
      const found = this.#diagnostics.get(this.uri(path));
      if (found && fits(found)) return found;
      await new Promise<void>((seen) => this.#onDiagnostics.push(seen));
    }
  }

  /** The text of a range, of an open file. */
  textAt(path: string, range: Range): string {
    return this.document(path).getText(range);
  }

  applied(path: string, edits: readonly TextEdit[]): string {
    return TextDocument.applyEdits(this.document(path), [...edits]);
  }

  /** The exit code. */
  async stop(): Promise<number> {
    const ended = this.process.exitCode === null ? once(this.process, 'exit') : [this.process.exitCode];
    if (this.process.exitCode === null) {
      await this.connection.sendRequest('shutdown');
      await this.connection.sendNotification('exit');
    }
    const [code] = await ended;
    this.connection.dispose();
    rmSync(this.folder, { recursive: true, force: true });
    return code as number;
  }
}

function unmarked(marked: string): { readonly text: string; readonly cursor: number } {
  const at = marked.indexOf('|');
  return at < 0 ? { text: marked, cursor: 0 } : { text: marked.slice(0, at) + marked.slice(at + 1), cursor: at };
}
