/**
 * What a document tells its reader to do, in order: commands with what the screen shows, and files to write or change.
 *
 * | in the document | means |
 * |---|---|
 * | ```` ```console ```` | `$ command` lines, each with its output beneath; `> ` goes on with a command; `^C` stops what runs |
 * | ```` ```console background ```` | the command goes on running; without a `$` line, what it says next |
 * | ```` ```console docker ```` | needs a Docker engine |
 * | ```` ```kiln blog.kiln ```` | a file of that name, whatever its language is |
 * | ```` ```diff blog.kiln ```` | a change of that file; `…` alone on a line stands between two places |
 * | `<!-- not run: why -->` | the block beneath is left out |
 */

export interface Step {
  /** None where a block shows what a running command says next. */
  readonly command: string | undefined;
  readonly shown: readonly string[];
  /** Of the first line that is shown, from 1. */
  readonly line: number;
}

interface Place {
  readonly document: string;
  readonly line: number;
  readonly needsDocker: boolean;
}

export interface ConsoleBlock extends Place {
  readonly kind: 'console';
  readonly isBackground: boolean;
  readonly steps: readonly Step[];
}

export interface FileBlock extends Place {
  readonly kind: 'file' | 'diff';
  readonly path: string;
  readonly text: string;
}

export type SessionBlock = ConsoleBlock | FileBlock;

/** Written where a screen shows it, so it stands for the key and not for a command. */
export const STOP = '^C';

interface Fence {
  readonly line: number;
  readonly words: readonly string[];
  readonly lines: readonly string[];
  /** The line above it that is not empty. */
  readonly above: string;
}

export function sessionBlocks(document: string, text: string): readonly SessionBlock[] {
  return fences(text)
    .filter(({ above }) => notRunReason(above) === undefined)
    .flatMap((fence) => blockFrom(document, fence) ?? []);
}

/** Where commands are shown in a way that nobody runs: without a mark, or as a script. */
export function unrunCommands(text: string): readonly number[] {
  return fences(text)
    .filter(({ above }) => notRunReason(above) === undefined)
    .filter(({ words: [language = ''], lines }) =>
      language === '' ? lines.some((line) => line.startsWith('$ ')) : ['sh', 'bash', 'shell'].includes(language),
    )
    .map(({ line }) => line);
}

/** The reasons in a document for what is not run. */
export function notRunReasons(text: string): readonly string[] {
  return fences(text).flatMap(({ above }) => notRunReason(above) ?? []);
}

function notRunReason(above: string): string | undefined {
  return /^<!-- not run: (.+) -->$/.exec(above)?.[1];
}

function fences(text: string): readonly Fence[] {
  const lines = text.split('\n');
  const found: Fence[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, info] = /^```(.*)$/.exec(lines[at] ?? '') ?? [];
    if (info === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    const above = lines.slice(0, at).findLast((line) => line !== '') ?? '';
    found.push({ line: at + 1, words: info.trim().split(/\s+/), lines: lines.slice(at + 1, end), above });
    at = end;
  }
  return found;
}

function blockFrom(document: string, { line, words, lines }: Fence): SessionBlock | undefined {
  const [language, ...rest] = words;
  const place = { document, line, needsDocker: rest.includes('docker') };
  if (language === 'console') {
    return { ...place, kind: 'console', isBackground: rest.includes('background'), steps: stepsFrom(lines, line + 1) };
  }
  const path = rest.find((word) => word.includes('.'));
  if (path === undefined) return undefined;
  return { ...place, kind: language === 'diff' ? 'diff' : 'file', path, text: `${lines.join('\n')}\n` };
}

function stepsFrom(lines: readonly string[], first: number): readonly Step[] {
  const starts = lines.flatMap((line, at) => (line.startsWith('$ ') || line === STOP ? [at] : []));
  if (starts.length === 0) return [{ command: undefined, shown: trimmed(lines), line: first }];
  return starts.map((start, index) => stepFrom(lines.slice(start, starts[index + 1]), first + start));
}

function stepFrom([head = '', ...rest]: readonly string[], line: number): Step {
  const more = rest.findIndex((text) => !text.startsWith('> '));
  const continued = rest.slice(0, more === -1 ? rest.length : more);
  const command = [head.replace(/^\$ /, ''), ...continued.map((text) => text.slice(2))].join('\n');
  return { command, shown: trimmed(rest.slice(continued.length)), line: line + 1 + continued.length };
}

/** An empty line before the next command is there for the eye. */
function trimmed(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line !== '');
  return lines.slice(0, last + 1);
}
