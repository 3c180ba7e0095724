/**
 * `kiln lsp`: answers an editor over the language server protocol. Texts come in, facts about them go out. Long work is
 * done between the answers, and each answer uses what is known by then.
 */
import {
  BulkRegistration,
  type CancellationToken,
  type ClientCapabilities,
  CodeActionKind,
  type CodeActionParams,
  CompletionRequest,
  type Connection,
  createConnection,
  DefinitionRequest,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  HoverRequest,
  type InitializeParams,
  type InitializeResult,
  type InlayHintParams,
  LSPErrorCodes,
  type Position,
  ProposedFeatures,
  type ReferenceParams,
  ReferencesRequest,
  type RenameParams,
  RenameRequest,
  ResponseError,
  type SemanticTokens,
  type ServerCapabilities,
  type TextDocumentIdentifier,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { loadGrammar } from '../compiler/syntax/load-grammar.ts';
import { completionsAt } from './features/completion.ts';
import { diagnosticsOf, mendsAt } from './features/diagnostics.ts';
import { codeLensesOf, inlayHintsIn } from './features/endpoint-hints.ts';
import { hoverAt } from './features/hover.ts';
import { foldingOf, formattingOf } from './features/layout.ts';
import { declarationOf, occurrenceAt, occurrencesOf } from './features/occurrences.ts';
import { FormerNames, RenameRefusal, renamableAt, renaming } from './features/rename.ts';
import { semanticTokens, TOKEN_MODIFIERS, TOKEN_TYPES } from './features/semantic-tokens.ts';
import { signatureAt } from './features/signature-help.ts';
import { outlineOfFile, symbolsNamed } from './features/symbols.ts';
import { CheckLoop } from './project/check-loop.ts';
import type { KilnFile } from './project/kiln-file.ts';
import type { Project } from './project/project.ts';
import { type OpenFile, Workspace } from './project/workspace.ts';

/** Serves over the streams of the process, and ends it when the editor says so or is gone. */
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
    return { capabilities: CAPABILITIES, serverInfo: { name: 'kiln', version } };
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
    // The modules of hooks are watched too: the check depends on whether they exist, and on what they export. So are templates.
    const watchers = ['**/*.kiln', '**/*.{ts,js,mts,mjs}', TEMPLATES].map((globPattern) => ({ globPattern }));
    connection.client.register(DidChangeWatchedFilesNotification.type, { watchers }).catch(() => undefined);
  }
  if (params.capabilities.textDocument?.completion?.dynamicRegistration) askForTemplates(connection);
}

/** Templates of mails are files of another language: only for them, and only for some questions, editors ask this server too. */
function askForTemplates({ client }: Connection): void {
  const templates = { documentSelector: [{ scheme: 'file', pattern: TEMPLATES }] };
  const wanted = BulkRegistration.create();
  wanted.add(DidOpenTextDocumentNotification.type, templates);
  wanted.add(DidChangeTextDocumentNotification.type, { ...templates, syncKind: TextDocumentSyncKind.Incremental });
  wanted.add(DidCloseTextDocumentNotification.type, templates);
  wanted.add(CompletionRequest.type, { ...templates, ...CAPABILITIES.completionProvider });
  for (const type of [HoverRequest.type, DefinitionRequest.type, ReferencesRequest.type]) wanted.add(type, templates);
  wanted.add(RenameRequest.type, { ...templates, prepareProvider: true });
  client.register(wanted).catch(() => undefined);
}

const TEMPLATES = '**/mails/**/*.{html,txt}';

/** Whether the editor watches files. If not, other changes are seen when a file is saved. */
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

function describe(error: unknown): string {
  if (error instanceof ResponseError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// ── Capabilities ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Positions are UTF-16, the default of the protocol. */
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
  codeLensProvider: {},
  inlayHintProvider: true,
  semanticTokensProvider: {
    legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [...TOKEN_MODIFIERS] },
    full: true,
    range: true,
  },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
};

// ── Publisher ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Sends the diagnostics of the files to the editor, whenever they differ from those that were sent before. */
class Publisher {
  readonly #connection: Connection;
  readonly #told = new Map<string, string>();
  /** The files that were published last, by the folder of the project. */
  readonly #published = new Map<string | undefined, readonly string[]>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  publish(project: Project): void {
    const { files, folder } = project;
    for (const file of files) this.#tellFile(project, file);
    const uris = files.map(({ uri }) => uri);
    for (const uri of this.#published.get(folder) ?? []) if (!uris.includes(uri)) this.clear(uri);
    this.#published.set(folder, uris);
  }

  /** Publishes at once after a key: the problems of the text itself, and the known problems of the rest. */
  publishOpen(open: OpenFile | undefined): void {
    if (open) this.#tellFile(open.project, open.file, true);
  }

  clear(uri: string): void {
    if (this.#told.delete(uri)) void this.#connection.sendDiagnostics({ uri, diagnostics: [] });
  }

  #tellFile(project: Project, file: KilnFile, isNew = false): void {
    this.#tell(file.uri, diagnosticsOf(project, file), isNew);
  }

  #tell(uri: string, found: ReturnType<typeof diagnosticsOf>, isNew = false): void {
    const diagnostics = found.map(({ shown }) => shown);
    const text = JSON.stringify(diagnostics);
    const before = this.#told.get(uri) ?? (isNew ? undefined : '[]');
    if (text === before) return;
    this.#told.set(uri, text);
    void this.#connection.sendDiagnostics({ uri, diagnostics });
  }
}

// ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// The editor's questions, each with its answer.

interface Server {
  readonly workspace: Workspace;
  readonly loop: CheckLoop;
  readonly client: () => ClientCapabilities;
}

/** Makes a handler of an answer. `otherwise` is for unknown documents. */
type Answering = <P extends { textDocument: TextDocumentIdentifier }, T>(
  answer: (open: OpenFile, params: P) => T | Promise<T>,
  otherwise: T,
) => (params: P, token: CancellationToken) => Promise<T>;

function answerQuestions(connection: Connection, server: Server): void {
  const { workspace, loop } = server;
  const when =
    (isReady: (open: OpenFile) => boolean): Answering =>
    (answer, otherwise) =>
    async (params, token) => {
      const open = workspace.find(params.textDocument.uri);
      if (!open) return otherwise;
      if (!isReady(open)) await unlessCancelled(loop.settled(open.project), token);
      return answer(open, params);
    };
  // The answer may be out of date, but something must be known.
  const known = when(({ project }) => project.isKnown);
  const checked = when(({ project }) => project.isFresh);
  const atOnce = when(() => true);

  connection.onDocumentSymbol(known(({ file }) => [...outlineOfFile(file)], []));
  connection.onFoldingRanges(atOnce(({ file }) => [...foldingOf(file)], []));
  connection.onDocumentFormatting(atOnce(({ file }) => [...formattingOf(file)], []));
  connection.onWorkspaceSymbol(({ query }) => [...symbolsNamed(workspace.projects, query)]);
  connection.onHover(
    known(
      ({ project, file }, { position }: TextDocumentPositionParams) => hoverAt(project, file, position) ?? null,
      null,
    ),
  );
  connection.onDefinition(known(definitionAt, null));
  connection.onReferences(checked(referencesAt, []));
  connection.onDocumentHighlight(known(highlightsAt, []));
  connection.onCompletion(
    known(({ project, file }, { position }: TextDocumentPositionParams) => {
      return [...completionsAt(project, file, position, takesSnippets(server))];
    }, []),
  );
  connection.languages.semanticTokens.on(known(({ project, file }) => semanticTokens(project, file), NO_TOKENS));
  connection.languages.semanticTokens.onRange(
    known(({ project, file }, { range }) => semanticTokens(project, file, range), NO_TOKENS),
  );
  connection.onSignatureHelp(
    known(
      ({ project, file }, { position }: TextDocumentPositionParams) => signatureAt(project, file, position) ?? null,
      null,
    ),
  );
  connection.onCodeLens(checked(({ project, file }) => [...codeLensesOf(project, file)], []));
  connection.languages.inlayHint.on(
    checked(({ project, file }, { range }: InlayHintParams) => [...inlayHintsIn(project, file, range)], []),
  );
  answerRenames(connection, known, checked);
}

const NO_TOKENS: SemanticTokens = { data: [] };

/** Rejects at once if the question is cancelled. */
function unlessCancelled(work: Promise<void>, token: CancellationToken): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled'));
    if (token.isCancellationRequested) cancel();
    token.onCancellationRequested(cancel);
    work.then(resolve, reject);
  });
}

function takesSnippets({ client }: Server): boolean {
  return client().textDocument?.completion?.completionItem?.snippetSupport ?? false;
}

function definitionAt({ project, file }: OpenFile, { position }: TextDocumentPositionParams) {
  const found = occurrenceAt(project, file, position);
  return (found && declarationOf(project, found)) ?? null;
}

function referencesAt({ project, file }: OpenFile, { position, context }: ReferenceParams) {
  return sameNameAs(project, file, position)
    .filter(({ occurrence }) => context.includeDeclaration || !occurrence.isDeclaration)
    .map(({ place, range }) => ({ uri: place.file.uri, range }));
}

function highlightsAt({ project, file }: OpenFile, { position }: TextDocumentPositionParams) {
  return sameNameAs(project, file, position)
    .filter(({ place }) => place.file === file)
    .map(({ range }) => ({ range }));
}

function sameNameAs(project: Project, file: KilnFile, position: Position) {
  const key = occurrenceAt(project, file, position)?.occurrence.key;
  return key === undefined ? [] : occurrencesOf(project, key);
}

/** Answers renames, and afterwards offers `was` with the former name. */
function answerRenames(connection: Connection, known: Answering, checked: Answering): void {
  const former = new FormerNames();
  connection.onPrepareRename(
    checked(
      ({ project, file }, { position }: TextDocumentPositionParams) =>
        orRefused(() => renamableAt(project, file, position)),
      null,
    ),
  );
  connection.onRenameRequest(
    checked(async ({ project, file }, { position, newName }: RenameParams): Promise<WorkspaceEdit | null> => {
      const done = await orRefused(() => renaming(project, file, position, newName));
      former.remember(done);
      return done.edit;
    }, null),
  );
  connection.onCodeAction(
    known(({ project, file }, { range }: CodeActionParams) => {
      return [...mendsAt(project, file, range), ...former.offersAt(project, file, range)];
    }, []),
  );
}

async function orRefused<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RenameRefusal)) throw error;
    throw new ResponseError(LSPErrorCodes.RequestFailed, error.message);
  }
}
