/** An explanation as a person reads it in a terminal: the sentences, the example, and what fixes it. */
import type { Explanation } from './explanations.ts';

export function explanationText(code: string, about: Explanation, width: number): string {
  return [code, '', ...wrapped(about.text, width), ...exampleLines(about)].join('\n');
}

function exampleLines({ before, example, fix }: Explanation): readonly string[] {
  if (Object.keys(example).length === 0) return [];
  const previous = before === undefined ? [] : block('Previous release:', { 'main.kiln': before });
  const now = before === undefined ? 'For example:' : 'And now:';
  return [...previous, ...block(now, example), ...block('What fixes it:', fix)];
}

/** A file is named where there are several. */
function block(title: string, files: Readonly<Record<string, string>>): readonly string[] {
  const paths = Object.keys(files);
  const parts = Object.entries(files).flatMap(([path, text]) => [
    '',
    ...(paths.length > 1 ? [`  // ${path}`] : []),
    ...shownSource(text)
      .split('\n')
      .map((line) => (line === '' ? '' : `  ${line}`)),
  ]);
  return ['', title, ...parts];
}

const MOST_LINES = 40;
const LONGEST_LINE = 160;
const SHOWN_AT_ENDS = 4;

/** A source without the middle of what is very long. */
function shownSource(source: string): string {
  const lines = source
    .trimEnd()
    .split('\n')
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, 40)}…${line.slice(-40)}` : line));
  if (lines.length <= MOST_LINES) return lines.join('\n');
  const mark = `  // … ${lines.length - 2 * SHOWN_AT_ENDS} lines more …`;
  return [...lines.slice(0, SHOWN_AT_ENDS), mark, ...lines.slice(-SHOWN_AT_ENDS)].join('\n');
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

const MARGIN = 2;

/** Read downwards, each column as wide as the longest word. */
export function inColumns(words: readonly string[], width: number): readonly string[] {
  const column = Math.max(...words.map((word) => word.length)) + MARGIN;
  const across = Math.max(Math.floor((width - MARGIN) / column), 1);
  const down = Math.ceil(words.length / across);
  const line = (row: number) => words.filter((_, index) => index % down === row).map((word) => word.padEnd(column));
  return Array.from({ length: down }, (_, row) => line(row).join('').trimEnd());
}
