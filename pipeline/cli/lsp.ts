/** `kiln lsp`: the language server, over the standard streams. Nothing but the protocol may be written to them. */
import { serve } from '../../language-server/server.ts';
import { EXIT, type ExitCode, Refusal } from './terminal.ts';

/** The process stays for as long as the editor does, and ends as the protocol says. */
export async function lsp(version: string): Promise<ExitCode> {
  if (process.stdin.isTTY)
    process.stderr.write(
      'This is a language server. It waits for messages of an editor on standard input. Press Ctrl-C to stop it.\n',
    );
  try {
    await serve(version);
  } catch (error) {
    throw new Refusal(`the language server cannot start: ${error instanceof Error ? error.message : error}`);
  }
  return EXIT.ok;
}
