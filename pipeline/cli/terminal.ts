/** The output to the terminal: results to stdout, errors to stderr. */
import { once } from 'node:events';
import { visible, visibleLines } from '../../compiler/diagnostics/source-line.ts';
import { writeWhole } from '../../files/write-file.ts';

/**
 * Prints one line. It may quote commits, hooks, files and settings of others, so nothing in it can control a terminal.
 */
export function print(line: string): void {
  process.stdout.write(`${visible(line)}\n`);
}

/** Prints several lines. */
export function printText(text: string): void {
  process.stdout.write(`${visibleLines(text)}\n`);
}

/** Prints text that has colours of Kiln's own. */
export function printPainted(text: string): void {
  process.stdout.write(`${visiblePainted(text)}\n`);
}

/** Prints JSON. Characters that could control a terminal are escaped, so the value stays the same. */
export function printJson(text: string): void {
  process.stdout.write(`${text.replace(/[^\n\x20-\x7e]/g, escaped)}\n`);
}

function escaped(unit: string): string {
  const isHalf = /[\ud800-\udfff]/.test(unit);
  return visible(unit) === unit || isHalf ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Prints lines to stderr, with colours of Kiln's own. */
export function tellPainted(text: string): void {
  process.stderr.write(`${visiblePainted(text)}\n`);
}

function visiblePainted(text: string): string {
  return text
    .split(COLOUR)
    .map((part, at) => (at % 2 === 0 ? visibleLines(part) : part))
    .join('');
}

/** The colour codes that Kiln writes, and no others. */
const COLOUR = /(\u001b\[(?:[012]|3[1246]|1;3[1236])m)/;

/** Prints a remark that is not a result. It goes to stderr, so that it is in no pipe. */
export function note(sentence: string): void {
  process.stderr.write(`${visible(sentence)}\n`);
}

/** Prints one sentence about what is wrong, without a full stop; more lines may follow it. */
export function complain(sentence: string): void {
  process.stderr.write(`${errorMark()} ${visibleLines(sentence)}\n`);
}

/** Says why a command cannot do its work. */
export function refuse(...sentences: readonly string[]): ExitCode {
  for (const sentence of sentences) complain(sentence);
  return EXIT.errors;
}

/** Points to the explanation of a code. It is called once, because the first error often causes the others. */
export function pointToExplanation(code: string | undefined): void {
  if (code !== undefined) process.stderr.write(`For more: kiln explain ${code}\n`);
}

export function errorMark(text = 'error:'): string {
  return hasColour(process.stderr) ? `\u001b[1;31m${text}\u001b[0m` : text;
}

export function warningMark(): string {
  return hasColour(process.stderr) ? '\u001b[1;33mwarning:\u001b[0m' : 'warning:';
}

/** Colours are for people who look at a terminal and have not asked to be spared (no-color.org). */
export function hasColour(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}

// ── Exit code ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The exit codes. */
export const EXIT = {
  ok: 0,
  errors: 1,
  usage: 2,
  refused: 3,
  blocked: 4,
  unavailable: 5,
  internal: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meanings as the help and docs/operations.md state them. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'success',
  errors: 'the sources have errors or are not formatted, or a database, a port, a build, a migration or a hook failed',
  usage: 'invalid command line, or a file or folder cannot be read or written',
  refused: '`migrate`: the database and the release are incompatible',
  blocked:
    '`migrate`: other sessions hold locks, servers of an older release are connected, or jobs that only they know still wait; run it again later',
  unavailable: '`migrate`: Postgres cannot be reached, or the connection was lost; run it again later',
  internal: 'Kiln itself failed; please report it',
};

// ── Refusal ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Something outside Kiln has to change before the command can do its work. The message is a sentence for the user. */
export class Refusal extends Error {}

export function mustWrite(file: string, content: string): void {
  const refusal = writeWhole(file, content);
  if (refusal !== undefined) throw new Refusal(refusal);
}

// ── Unread ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Lets a build or a migration that has begun finish, even if nobody reads what it says. */
export function goOnUnread(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    stream.on('error', () => undefined);
  }
}

// ── Stop signal ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Ctrl-C, a closed terminal, and what process managers send. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Fires at the first signal. A second one ends the process at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort();
    });
  }
  return controller.signal;
}

/** Resolves when the signal fires, or has fired. */
export async function fired(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
