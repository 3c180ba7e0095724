/** `kiln explain`: what codes mean, with an example of each, and what fixes that. */
import { nearWord } from '../../compiler/diagnostics/words/near-name.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { type Explanation, readExplanations } from './explanations.ts';
import { complain, printText } from './terminal.ts';

const groups = readExplanations();
const known: ReadonlyMap<string, Explanation> = new Map(groups.flatMap(({ explanations }) => [...explanations]));

/** Where one of several codes is not known, the others are not explained either: scripts get all or nothing. */
export function explain(written: readonly string[], { json = false }: { readonly json?: boolean }): ExitCode {
  if (written.length === 0) return list(json);
  const codes = [...new Set(written.map(codeIn))];
  const missing = codes.filter((code) => !known.has(code));
  if (missing.length > 0) return unknown(missing);
  const found = codes.map((code): Found => [code, known.get(code) as Explanation]);
  printText(
    json ? jsonText(found) : found.map(([code, about]) => explanationText(code, about, width())).join('\n\n\n'),
  );
  return EXIT.ok;
}

type Found = readonly [code: string, about: Explanation];

/** One object for one code, a list for several. */
function jsonText(found: readonly Found[]): string {
  const all = found.map(jsonOf);
  return JSON.stringify(all.length === 1 ? all[0] : all, undefined, 2);
}

/** As it is copied from a message: `error[unknown-model]`, or with the colon behind it. */
function codeIn(written: string): string {
  const trimmed = written.trim().toLowerCase();
  return /\[([^\]]*)\]?:?$/.exec(trimmed)?.[1] ?? trimmed.replace(/:$/, '');
}

function list(json: boolean): ExitCode {
  if (json) {
    printText(jsonText([...known]));
    return EXIT.ok;
  }
  const lines = process.stdout.isTTY ? (codes: readonly string[]) => inColumns(codes, width()) : onLines;
  const lists = groups.map(({ title, explanations }) =>
    [title, ...lines([...explanations.keys()]).map((line) => `  ${line}`)].join('\n'),
  );
  printText([...lists, 'For one of them: kiln explain <code>'].join('\n\n'));
  return EXIT.ok;
}

/** What reads a pipe wants one code on each line. */
const onLines = (codes: readonly string[]) => codes;

/** Properties that are undefined are left out. */
function jsonOf([code, about]: Found) {
  const { text, before } = about;
  const { 'main.kiln': example = null, ...files } = about.example;
  const { 'main.kiln': fix, ...fixFiles } = about.fix;
  const hooks = Object.keys(files).length > 0 ? { files, fixFiles } : {};
  return { code, text, example, before, ...hooks, fix };
}

const MOST_SUGGESTED = 5;

function unknown(codes: readonly string[]): ExitCode {
  for (const code of codes) {
    const near = suggestions(code);
    const advice =
      near.length === 0 ? 'see `kiln explain` for all of them' : `did you mean ${near.map(quoted).join(', ')}?`;
    complain(`there is no code \`${code}\`: ${advice}`);
  }
  return EXIT.usage;
}

/** The one that was misspelt; otherwise those that have its words. */
function suggestions(code: string): readonly string[] {
  const near = nearWord(code, known.keys())?.name;
  if (near !== undefined) return [near];
  const words = code.split(/[^a-z]+/).filter((word) => word.length > 2);
  const alike = [...known.keys()].filter((name) => words.some((word) => name.split('-').includes(word)));
  return alike.slice(0, MOST_SUGGESTED);
}

const WIDEST = 100;
const WIDTH_OF_PIPES = 80;

function width(): number {
  return Math.min(process.stdout.columns || WIDTH_OF_PIPES, WIDEST);
}

const quoted = (name: string) => `\`${name}\``;

// ── Explanation text ─────────────────────────────────────────────────────────────────────────────────────────────────

// An explanation as a person reads it in a terminal: the sentences, the example, and what fixes it.

function explanationText(code: string, about: Explanation, width: number): string {
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
