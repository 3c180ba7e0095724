/** A command line, from its words to the exit code of the process. */
import { runCommand } from './commands.ts';
import { EXIT } from './exit-code.ts';
import { reportOwnFailure } from './own-failure.ts';

export async function run(words: readonly string[]): Promise<void> {
  // A reader that goes away early (`kiln check --json | head`) is not an error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', stopWhenUnread);
  try {
    process.exitCode = await runCommand(words);
  } catch (error) {
    reportOwnFailure(error);
    process.exitCode = EXIT.internal;
  }
}

function stopWhenUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
