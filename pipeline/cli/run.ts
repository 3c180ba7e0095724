/** A command line, from its words to the exit code of the process. */
import { runCommand } from './commands.ts';
import { complain, EXIT } from './terminal.ts';

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

// ── Own failure ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Says that Kiln itself failed. The stack is for those who look into it. */
function reportOwnFailure(error: unknown): void {
  const stack = error instanceof Error ? `\n${error.stack}` : '';
  complain(`Kiln failed (${String(error)}); please report it with all of this${stack}`);
}
