/** The language server as this extension runs it: one `kiln lsp` for the window, and none if no `kiln` is found. */
import { dirname } from 'node:path';
import { type LogOutputChannel, workspace } from 'vscode';
import { type Executable, LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';
import { type ServerPath, serverPathFrom } from './server-path.ts';

export class Server {
  readonly output: LogOutputChannel;
  #client: LanguageClient | undefined;

  constructor(output: LogOutputChannel) {
    this.output = output;
  }

  /** Starts the server after stopping the running one. The caller reports a missing `kiln`. */
  async start(): Promise<ServerPath> {
    await this.stop();
    const path = currentServerPath();
    if (path.kind === 'found') await this.#run(path.file);
    return path;
  }

  async #run(file: string): Promise<void> {
    this.output.info(`Starting ${file} lsp`);
    const client = new LanguageClient('kiln', 'Kiln', executable(file), clientOptions(this.output));
    this.#client = client;
    await client.start();
  }

  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // One that did not start cannot be stopped, and has nothing to be stopped.
    if (client?.needsStop()) await client.stop().catch((error: unknown) => this.output.warn(String(error)));
  }
}

export function currentServerPath(): ServerPath {
  return serverPathFrom({
    setting: workspace.getConfiguration('kiln').get('server.path', ''),
    folders: folders(),
    path: process.env.PATH ?? process.env.Path ?? '',
    platform: process.platform,
  });
}

export function folders(): readonly string[] {
  return (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

function executable(file: string): Executable {
  const cwd = folders()[0] ?? dirname(file);
  // Windows runs a .cmd file only by its shell.
  const shell = file.endsWith('.cmd');
  return { command: shell ? `"${file}"` : file, args: ['lsp'], options: { cwd, shell } };
}

function clientOptions(output: LogOutputChannel): LanguageClientOptions {
  return {
    documentSelector: ['file', 'untitled'].map((scheme) => ({ scheme, language: 'kiln' })),
    outputChannel: output,
    initializationOptions: { projects: workspace.getConfiguration('kiln').get('projects', []) },
  };
}
