#!/usr/bin/env node
/** The entry of `kiln`. It holds only what must be there whatever is asked; the rest is imported when it is needed. */
import module from 'node:module';
import { EXIT } from './exit-code.ts';

// From Node 22.8 on, the compiled code of the modules below is kept between runs.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

// A reader that goes away early (`kiln check --json | head`) is not an error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', stopWhenUnread);

try {
  const { runCommand } = await import('./commands.ts');
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  const { reportOwnFailure } = await import('./own-failure.ts');
  reportOwnFailure(error);
  process.exitCode = EXIT.internal;
}

function stopWhenUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
