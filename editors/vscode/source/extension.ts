/**
 * The extension for Visual Studio Code: starts the language server, and reports it if that fails. Colours, folding and
 * snippets are in the manifest and need none of this.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  commands,
  type Diagnostic,
  type ExtensionContext,
  languages,
  type TextEditor,
  Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode';
import { currentServerPath, folders, Server } from './server.ts';

const STARTED_WITH = ['kiln.server', 'kiln.projects'];

let running: Server | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const output = window.createOutputChannel('Kiln', { log: true });
  const server = new Server(output);
  running = server;
  const start = () => started(server, context.extensionUri);
  context.subscriptions.push(
    output,
    commands.registerCommand('kiln.restartServer', start),
    commands.registerCommand('kiln.showOutput', () => output.show()),
    commands.registerCommand('kiln.explain', () => explainAtCursor(window.activeTextEditor)),
    workspace.registerTextDocumentContentProvider(EXPLANATION_SCHEME, {
      provideTextDocumentContent: ({ path }) => explanationOf(path),
    }),
    workspace.onDidChangeConfiguration(
      (change) => STARTED_WITH.some((key) => change.affectsConfiguration(key)) && start(),
    ),
    workspace.onDidGrantWorkspaceTrust(start),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

/** The program may be one of the folder, so it has to be trusted first. */
async function started(server: Server, extension: Uri): Promise<void> {
  if (!workspace.isTrusted) return;
  try {
    const path = await server.start();
    if (path.kind === 'missing') void sayThatItIsMissing(path.message, extension);
  } catch (error) {
    server.output.error(error instanceof Error ? error : String(error));
    void sayThatItDidNotStart();
  }
}

async function sayThatItIsMissing(message: string, extension: Uri): Promise<void> {
  const choice = await window.showWarningMessage(message, 'How to Install', 'Open Settings');
  if (choice === 'How to Install')
    await commands.executeCommand('markdown.showPreview', Uri.joinPath(extension, 'README.md'));
  if (choice === 'Open Settings') await commands.executeCommand('workbench.action.openSettings', 'kiln.server.path');
}

async function sayThatItDidNotStart(): Promise<void> {
  const message =
    'The language server of Kiln did not start. The output says why; an older kiln has no “kiln lsp” yet.';
  const choice = await window.showErrorMessage(message, 'Show Output', 'Try Again');
  if (choice === 'Show Output') await commands.executeCommand('kiln.showOutput');
  if (choice === 'Try Again') await commands.executeCommand('kiln.restartServer');
}

// ── Explanations ─────────────────────────────────────────────────────────────────────────────────────────────────────

// `kiln explain` for the problem at the cursor, shown beside the source.

const EXPLANATION_SCHEME = 'kiln-explanation';

async function explainAtCursor(editor: TextEditor | undefined): Promise<void> {
  const codes = editor ? codesNear(editor) : [];
  const code = codes.length > 1 ? await window.showQuickPick(codes, { title: 'Which problem?' }) : codes[0];
  if (code !== undefined) await show(code);
  else if (codes.length === 0) void window.showInformationMessage('Kiln reports no problem in this file.');
}

/** The codes at the cursor; if there are none, those of its line, or else of the file. */
function codesNear({ document, selection }: TextEditor): readonly string[] {
  const problems = languages.getDiagnostics(document.uri).filter(({ source }) => source === 'kiln');
  const here = problems.filter(({ range }) => range.contains(selection.active));
  const onLine = problems.filter(({ range }) => range.start.line === selection.active.line);
  const nearest = [here, onLine, problems].find((some) => some.length > 0) ?? [];
  return [...new Set(nearest.flatMap(codeOf))];
}

function codeOf({ code }: Diagnostic): readonly string[] {
  const value = typeof code === 'object' ? code.value : code;
  return value === undefined ? [] : [String(value)];
}

async function show(code: string): Promise<void> {
  const uri = Uri.from({ scheme: EXPLANATION_SCHEME, path: code });
  const document = await workspace.openTextDocument(uri);
  await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preview: true, preserveFocus: true });
}

async function explanationOf(code: string): Promise<string> {
  const server = currentServerPath();
  if (server.kind === 'missing') return server.message;
  try {
    const { stdout } = await promisify(execFile)(server.file, ['explain', code], {
      cwd: folders()[0],
      shell: server.file.endsWith('.cmd'),
    });
    return stdout;
  } catch (error) {
    return `\`kiln explain ${code}\` did not work.\n\n${error instanceof Error ? error.message : String(error)}`;
  }
}
