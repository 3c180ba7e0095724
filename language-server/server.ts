/**
 * `kiln lsp`: answers an editor over the language server protocol. Texts come in, what is known about them goes out; what
 * takes long is done between the answers, and each answer is given from what is known by then.
 */
import {
  type Connection,
  createConnection,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  ProposedFeatures,
  ResponseError,
} from 'vscode-languageserver/node';
import { loadGrammar } from '../compiler/syntax/load-grammar.ts';
import { capabilitiesFor, type Shown } from './capabilities.ts';
import { CheckLoop } from './project/check-loop.ts';
import { Workspace } from './project/workspace.ts';
import { Publisher } from './publisher.ts';
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
    (project) => publisher.publishSoon(project),
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
