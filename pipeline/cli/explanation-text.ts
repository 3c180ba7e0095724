/** An explanation as a person reads it in a terminal: the sentences, the example, and what fixes it. */
import { type Example, type Explanation, fixed } from '../../compiler/diagnostics/explanations/explanation.ts';
import { shownSource } from '../../compiler/diagnostics/explanations/shown-source.ts';

export function explanationText(code: string, about: Explanation, width: number): string {
  return [code, '', ...wrapped(about.text, width), ...(about.source === null ? [] : exampleLines(about))].join('\n');
}

function exampleLines(example: Example): readonly string[] {
  const before = example.before === undefined ? [] : block('The release before:', { 'main.kiln': example.before });
  const now = example.before === undefined ? 'For example:' : 'And now:';
  return [...before, ...block(now, filesOf(example)), ...block('What fixes it:', filesOf(fixed(example)))];
}

function filesOf({ source, files = {} }: Example): Readonly<Record<string, string>> {
  return { 'main.kiln': source, ...files };
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
