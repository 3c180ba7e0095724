/** What goes to the terminal: results to stdout, errors to stderr. */
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { EXIT, type ExitCode } from './exit-code.ts';

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** What is worth knowing, but is no result: it goes where errors go, so that it is in no pipe. */
export function note(sentence: string): void {
  process.stderr.write(`${visible(sentence)}\n`);
}

/** One sentence about what is wrong, without a full stop; more lines may follow it. */
export function complain(sentence: string): void {
  process.stderr.write(`${errorMark()} ${sentence.split('\n').map(visible).join('\n')}\n`);
}

/** Says why a command cannot do its work. */
export function refuse(...sentences: readonly string[]): ExitCode {
  for (const sentence of sentences) complain(sentence);
  return EXIT.errors;
}

/** Where to read on about what has just been shown: once, since the first error is most often behind the others. */
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
