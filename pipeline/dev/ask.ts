import { createInterface } from 'node:readline';

function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** What somebody types; undefined where nobody can: without a terminal, or when `signal` fires. */
export async function answerTo(question: string, signal?: AbortSignal): Promise<string | undefined> {
  if (!isAtTerminal() || signal?.aborted) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await new Promise((resolve) => {
      // Ctrl-D says no. So does Ctrl-C, which also ends the command: the terminal sends no signal while it reads.
      terminal.once('close', () => resolve(''));
      terminal.once('SIGINT', () => {
        resolve('');
        process.kill(process.pid, 'SIGINT');
      });
      signal?.addEventListener('abort', () => {
        process.stdout.write('\n');
        resolve(undefined);
      });
      terminal.question(question, (answer) => resolve(answer.trim()));
    });
  } finally {
    terminal.close();
  }
}
