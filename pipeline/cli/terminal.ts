/** What goes to the terminal: results to stdout, errors to stderr. */
import { visible } from '../../compiler/diagnostics/source-line.ts';

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One sentence about what is wrong, without a full stop. */
export function complain(sentence: string): void {
  process.stderr.write(`${errorMark()} ${visible(sentence)}\n`);
}

export function errorMark(): string {
  return hasColour(process.stderr) ? '\u001b[1;31merror:\u001b[0m' : 'error:';
}

/** Colours are for people who look at a terminal and have not asked to be spared (no-color.org). */
export function hasColour(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}
