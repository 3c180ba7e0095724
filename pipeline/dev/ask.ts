import { createInterface } from 'node:readline';

function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** What somebody types; undefined where nobody does: without a terminal, at the end of input, or when `signal` fires. */
export async function answerTo(question: string, signal?: AbortSignal): Promise<string | undefined> {
  if (!isAtTerminal() || signal?.aborted) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await new Promise((resolve) => {
      terminal.once('close', () => resolve(undefined));
      // Ctrl-C says no, and ends the command: while a question is open, the terminal does not send the signal itself.
      terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT') && resolve(''));
      signal?.addEventListener('abort', () => process.stdout.write('\n') && resolve(undefined), { once: true });
      terminal.question(question, (answer) => resolve(answer.trim()));
    });
  } finally {
    terminal.close();
  }
}
