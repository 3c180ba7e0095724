/**
 * The extension for Visual Studio Code: starts the language server, and says so plainly where it cannot. Colours, folding
 * and snippets are in the manifest and need none of this.
 */
import { commands, type ExtensionContext, Uri, window, workspace } from 'vscode';
import { EXPLANATION_SCHEME, explainAtCursor, explanationOf } from './explain.ts';
import { Server } from './server.ts';

const STARTED_WITH = ['kiln.server', 'kiln.projects', 'kiln.codeLens', 'kiln.inlayHints'];

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
  if (choice === 'How to Install') {
    await commands.executeCommand('markdown.showPreview', Uri.joinPath(extension, 'README.md'));
  }
  if (choice === 'Open Settings') await commands.executeCommand('workbench.action.openSettings', 'kiln.server.path');
}

async function sayThatItDidNotStart(): Promise<void> {
  const message =
    'The language server of Kiln did not start. The output says why; an older kiln has no “kiln lsp” yet.';
  const choice = await window.showErrorMessage(message, 'Show Output', 'Try Again');
  if (choice === 'Show Output') await commands.executeCommand('kiln.showOutput');
  if (choice === 'Try Again') await commands.executeCommand('kiln.restartServer');
}
