/** `kiln explain`: what codes mean, with an example of each, and what fixes that. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nearWord } from '../../compiler/diagnostics/words/near-name.ts';
import { complain, EXIT, type ExitCode, printText } from './terminal.ts';

/**
 * Prints explanations. If one of several codes is unknown, the others are not explained either: scripts get all or
 * nothing.
 */
export function explain(written: readonly string[], { json = false }: { readonly json?: boolean }): ExitCode {
  if (written.length === 0) return list(json);
  const codes = [...new Set(written.map(codeIn))];
  const missing = codes.filter((code) => !known.has(code));
  if (missing.length > 0) return unknown(missing);
  const found = codes.map((code): Found => [code, known.get(code) as Explanation]);
  const width = Math.min(process.stdout.columns || WIDTH_OF_PIPES, WIDEST);
  printText(json ? jsonText(found) : found.map(([code, about]) => explanationText(code, about, width)).join('\n\n\n'));
  return EXIT.ok;
}

type Found = readonly [code: string, about: Explanation];

/** Prints one object for one code, a list for several. */
function jsonText(found: readonly Found[]): string {
  const all = found.map(jsonOf);
  return JSON.stringify(all.length === 1 ? all[0] : all, undefined, 2);
}

/** Extracts the code from what was copied from a message: `error[unknown-model]`, or with a colon at its end. */
function codeIn(written: string): string {
  const trimmed = written.trim().toLowerCase();
  return /\[([^\]]*)\]?:?$/.exec(trimmed)?.[1] ?? trimmed.replace(/:$/, '');
}

function list(json: boolean): ExitCode {
  if (json) {
    printText(jsonText([...known]));
    return EXIT.ok;
  }
  const lists = groups.map(({ title, explanations }) =>
    [title, ...[...explanations.keys()].map((code) => `  ${code}`)].join('\n'),
  );
  printText([...lists, 'For one of them: kiln explain <code>'].join('\n\n'));
  return EXIT.ok;
}

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

/** Suggests the code that was misspelt; otherwise those that have its words. */
function suggestions(code: string): readonly string[] {
  const near = nearWord(code, known.keys())?.name;
  if (near !== undefined) return [near];
  const words = code.split(/[^a-z]+/).filter((word) => word.length > 2);
  const alike = [...known.keys()].filter((name) => words.some((word) => name.split('-').includes(word)));
  return alike.slice(0, MOST_SUGGESTED);
}

const WIDEST = 100;
const WIDTH_OF_PIPES = 80;

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

// ── Explanations ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The explanations of `kiln explain`: the pages of compiler/diagnostics/explanations, one for each code. A page has a
// text, an example whose fix is shown as a difference, and Kiln's message about the example. Tests compile both sides.

/** Texts by path: `main.kiln`, and the code of hooks. */
type Files = Readonly<Record<string, string>>;

export interface Explanation {
  /** The path of its page. */
  readonly page: string;
  /** The meaning of the code, and why Kiln insists. */
  readonly text: string;
  /** The source of the previous release, if the code is about a change. */
  readonly before: string | undefined;
  /** Empty if no source is known to cause the code. */
  readonly example: Files;
  readonly fix: Files;
}

/** Both are two folders deep: this file in the sources, and the bundle in a package. */
const FOLDER = join(import.meta.dirname, '../../compiler/diagnostics/explanations');

/** The titles by folder, in the order in which a newcomer meets them. */
const TITLES = {
  syntax: 'Text that cannot be read',
  names: 'Names',
  models: 'Models, members and enums',
  expressions: 'Expressions and values',
  code: 'Validators, hooks and runtimes',
  'hook-files': 'The files of hooks',
  shapes: 'Shapes',
  api: 'Entrypoints, endpoints and authentication',
  actions: 'Actions and populators',
  work: 'Jobs, reactions and schedules',
  changes: 'Changes from one release to the next',
};

export function readExplanations() {
  return Object.entries(TITLES).map(([folder, title]) => {
    const pages = readdirSync(join(FOLDER, folder)).sort();
    const explanations = pages.map(
      (file) => [file.replace(/\.md$/, ''), readPage(join(FOLDER, folder, file))] as const,
    );
    return { title, explanations: new Map(explanations) };
  });
}

/** The caption is the path of a file, or marks the previous release. What Kiln says is in a block without a language. */
const BLOCK = /(?:^([^\n]+):\n\n)?^```(\w+)\n(.*?)^```$/gms;
const PREVIOUS = 'Previous release';

function readPage(page: string): Explanation {
  const markdown = readFileSync(page, 'utf8');
  const [, text = ''] = markdown.trimEnd().split('\n\n');
  const blocks = [...markdown.matchAll(BLOCK)].map(([, caption = '`main.kiln`', language = '', lines = '']) => ({
    path: caption.replaceAll('`', ''),
    language,
    lines: lines.replace(/^(.*)\{1\.\.(\d+)\}(.*\n)/gm, numbered),
  }));
  const filesWithout = (sign: '+' | '-') =>
    blocks
      .filter(({ path }) => path !== PREVIOUS)
      .map(({ path, language, lines }) => [path, language === 'diff' ? sideWithout(sign, lines) : lines]);
  return {
    page,
    text,
    before: blocks.find(({ path }) => path === PREVIOUS)?.lines,
    example: Object.fromEntries(filesWithout('+')),
    fix: Object.fromEntries(filesWithout('-')),
  };
}

/** A line with `{1..1600}` stands for as many lines. */
function numbered(_line: string, before: string, count: string, after: string): string {
  return Array.from({ length: Number(count) }, (_, index) => `${before}${index + 1}${after}`).join('');
}

/** One side of a difference: its lines without those that only the other side has. */
function sideWithout(sign: '+' | '-', difference: string): string {
  const lines = difference.split('\n').filter((line) => !line.startsWith(sign));
  return lines.map((line) => line.slice(1)).join('\n');
}

// These stand at the end, because the functions that read them must be defined first.
const groups = readExplanations();
const known: ReadonlyMap<string, Explanation> = new Map(groups.flatMap(({ explanations }) => [...explanations]));
