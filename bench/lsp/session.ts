/** An editor's session with `kiln lsp`, as the benchmark needs it: a file is typed into, and each answer is timed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  type Diagnostic,
  type Position,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';

interface Published {
  readonly uri: string;
  readonly diagnostics: readonly Diagnostic[];
}

export class Session {
  readonly #process: ChildProcess;
  readonly #connection: ProtocolConnection;
  #document: TextDocument | undefined;
  #onPublished: ((published: Published) => void) | undefined;

  constructor(kiln: string) {
    this.#process = spawn(process.execPath, [kiln, 'lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdin, stdout } = this.#process;
    if (!stdin || !stdout) throw new Error('the server has no streams');
    this.#connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.#connection.onNotification('textDocument/publishDiagnostics', (published) => this.#onPublished?.(published));
    this.#connection.onRequest('client/registerCapability', () => null);
    this.#connection.listen();
  }

  async start(folder: string): Promise<void> {
    await this.#connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } },
      workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'bench' }],
    });
    await this.#connection.sendNotification('initialized', {});
  }

  async open(path: string, text: string): Promise<void> {
    const uri = pathToFileURL(path).href;
    this.#document = TextDocument.create(uri, 'kiln', 1, text);
    await this.#connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'kiln', version: 1, text },
    });
  }

  get document(): TextDocument {
    if (!this.#document) throw new Error('no document is open');
    return this.#document;
  }

  /** One key, or what a key removes. */
  async type(offset: number, removed: number, text: string): Promise<void> {
    const { document } = this;
    const range = { start: document.positionAt(offset), end: document.positionAt(offset + removed) };
    const version = document.version + 1;
    TextDocument.update(document, [{ range, text }], version);
    await this.#connection.sendNotification('textDocument/didChange', {
      textDocument: { uri: document.uri, version },
      contentChanges: [{ range, text }],
    });
  }

  ask<T>(method: string, position?: Position): Promise<T> {
    return this.#connection.sendRequest<T>(`textDocument/${method}`, {
      textDocument: { uri: this.document.uri },
      ...(position ? { position, context: { includeDeclaration: true } } : {}),
    });
  }

  /** The next diagnostics that fit. */
  published(fits: (published: Published) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onPublished = (published) => {
        if (fits(published)) resolve();
      };
    });
  }

  async stop(): Promise<{ readonly peakMegabytes: number | undefined }> {
    const peakMegabytes = this.#peak();
    const ended = once(this.#process, 'exit');
    await this.#connection.sendRequest('shutdown');
    await this.#connection.sendNotification('exit');
    await ended;
    this.#connection.dispose();
    return { peakMegabytes };
  }

  /**
   * How long the server's main thread has run so far, in milliseconds, where the system tells. Unlike the time of day it does
   * not grow while other programs have the processor.
   */
  runTime(): number | undefined {
    const { pid } = this.#process;
    try {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
      return Number(nanoseconds) / 1e6;
    } catch {
      return undefined;
    }
  }

  /** Where the system tells. */
  #peak(): number | undefined {
    try {
      const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#process.pid}/status`, 'utf8'))?.[1];
      return peak === undefined ? undefined : Number(peak) / 1024;
    } catch {
      return undefined;
    }
  }
}
