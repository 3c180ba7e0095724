/**
 * `kiln lsp`: answers an editor over the language server protocol. Texts come in, what is known about them goes out; what
 * takes long is done between the answers, and each answer is given from what is known by then.
 */
import {
  CodeActionKind,
  type Connection,
  createConnection,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  ProposedFeatures,
  ResponseError,
  type ServerCapabilities,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import { loadGrammar } from '../compiler/syntax/load-grammar.ts';
import { diagnosticsOf } from './features/diagnostics.ts';
import { TOKEN_MODIFIERS, TOKEN_TYPES } from './features/semantic-tokens.ts';
import { CheckLoop } from './project/check-loop.ts';
import type { KilnFile } from './project/kiln-file.ts';
import type { Project } from './project/project.ts';
import { type OpenFile, Workspace } from './project/workspace.ts';
import { answerQuestions } from './questions.ts';

/** Speaks over the streams of the process, and ends it when the editor says so or is gone. */
export async function serve(version: string): Promise<void> {
  await loadGrammar();
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  answer(connection, version);
  connection.listen();
}

function answer(connection: Connection, version: string): void {
  const publisher = new Publisher(connection);
  const loop = new CheckLoop(
    (project) => publisher.publish(project),
    (error) => connection.console.error(`checking failed: ${describe(error)}`),
  );
  const workspace = new Workspace({
    changed: (project) => loop.ask(project),
    removed: (uri) => publisher.clear(uri),
    forgotten: (project) => loop.forget(project),
    cannotRead: ({ message }) => connection.console.warn(message),
  });
  let client: InitializeParams | undefined;

  connection.onInitialize((params): InitializeResult => {
    client = params;
    workspace.nameProjects(namedProjects(params));
    return { capabilities: capabilitiesFor(shownTo(params)), serverInfo: { name: 'kiln', version } };
  });
  connection.onInitialized(() => {
    if (client) begin(connection, workspace, client);
  });
  connection.onShutdown(() => {
    for (const project of workspace.projects) loop.forget(project);
  });
  followDocuments(connection, workspace, publisher);
  connection.onDidSaveTextDocument(() => {
    if (client && !watchesFiles(client)) workspace.readAgain();
  });
  answerQuestions(connection, { workspace, loop, client: () => client?.capabilities ?? {} });
}

function begin(connection: Connection, workspace: Workspace, params: InitializeParams): void {
  const folders = params.workspaceFolders?.map(({ uri }) => uri) ?? (params.rootUri ? [params.rootUri] : []);
  for (const uri of folders) workspace.addFolder(uri);
  if (params.capabilities.workspace?.workspaceFolders) followFolders(connection, workspace);
  if (watchesFiles(params)) {
    // The modules of hooks too: whether they are there, and what they export, is part of the check.
    const watchers = ['**/*.kiln', '**/*.{ts,js,mts,mjs}'].map((globPattern) => ({ globPattern }));
    connection.client.register(DidChangeWatchedFilesNotification.type, { watchers }).catch(() => undefined);
  }
}

/** Where the editor does not, what else has changed is seen when a file is saved. */
function watchesFiles({ capabilities: { workspace } }: InitializeParams): boolean {
  return workspace?.didChangeWatchedFiles?.dynamicRegistration ?? false;
}

function followFolders(connection: Connection, workspace: Workspace): void {
  connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
    for (const { uri } of removed) workspace.removeFolder(uri);
    for (const { uri } of added) workspace.addFolder(uri);
  });
}

function followDocuments(connection: Connection, workspace: Workspace, publisher: Publisher): void {
  connection.onDidOpenTextDocument(({ textDocument }) => {
    workspace.open(textDocument);
    publisher.publishOpen(workspace.find(textDocument.uri));
  });
  connection.onDidChangeTextDocument(({ textDocument, contentChanges }) => {
    publisher.publishOpen(workspace.change(textDocument.uri, contentChanges, textDocument.version));
  });
  connection.onDidCloseTextDocument(({ textDocument }) => workspace.close(textDocument.uri));
  connection.onDidChangeWatchedFiles(() => workspace.readAgain());
}

/** `initializationOptions: { "projects": ["examples/blog"] }`. */
function namedProjects({ initializationOptions }: InitializeParams): readonly string[] {
  const named: unknown = (initializationOptions as { projects?: unknown } | undefined)?.projects;
  return Array.isArray(named) ? named.filter((folder) => typeof folder === 'string') : [];
}

/** `initializationOptions: { "codeLens": false, "inlayHints": false }` does without them. */
function shownTo({ initializationOptions }: InitializeParams): Shown {
  const { codeLens, inlayHints } = (initializationOptions ?? {}) as { codeLens?: unknown; inlayHints?: unknown };
  return { codeLens: codeLens !== false, inlayHints: inlayHints !== false };
}

function describe(error: unknown): string {
  if (error instanceof ResponseError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// ── Capabilities ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What somebody may not want to see. */
interface Shown {
  readonly codeLens: boolean;
  readonly inlayHints: boolean;
}

/** What the editor may ask for. Positions are UTF-16, as the protocol has it where nothing else is agreed on. */
function capabilitiesFor({ codeLens, inlayHints }: Shown): ServerCapabilities {
  return {
    ...CAPABILITIES,
    ...(codeLens ? { codeLensProvider: { resolveProvider: true } } : {}),
    ...(inlayHints ? { inlayHintProvider: true } : {}),
  };
}

const CAPABILITIES: ServerCapabilities = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  completionProvider: { triggerCharacters: ['.', '@', '"', ' '] },
  hoverProvider: true,
  signatureHelpProvider: { triggerCharacters: ['(', ','] },
  definitionProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  documentFormattingProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite] },
  foldingRangeProvider: true,
  semanticTokensProvider: {
    legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [...TOKEN_MODIFIERS] },
    full: true,
    range: true,
  },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
};

// ── Publisher ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Tells the editor what is wrong with the files, each time that it differs from what was told before. */
class Publisher {
  readonly #connection: Connection;
  readonly #told = new Map<string, string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  publish(project: Project): void {
    for (const file of project.files) this.#tell(project, file);
  }

  /** At once after a key: what is wrong with the text itself, and what was known of the rest. */
  publishOpen(open: OpenFile | undefined): void {
    if (open) this.#tell(open.project, open.file, true);
  }

  clear(uri: string): void {
    if (this.#told.delete(uri)) void this.#connection.sendDiagnostics({ uri, diagnostics: [] });
  }

  #tell(project: Project, file: KilnFile, isNew = false): void {
    const diagnostics = diagnosticsOf(project, file).map(({ shown }) => shown);
    const text = JSON.stringify(diagnostics);
    const before = this.#told.get(file.uri) ?? (isNew ? undefined : '[]');
    if (text === before) return;
    this.#told.set(file.uri, text);
    void this.#connection.sendDiagnostics({ uri: file.uri, diagnostics });
  }
}
