/**
 * The programs of a document, each with what is done to it, in order. What stands behind the language of a block says
 * what it is for, and is not shown to the reader:
 *
 *     ```kiln             a program; what follows is about it, up to the next one
 *     ```kiln more        one more file of it
 *     ```kiln wrong       a program of its own that is refused, with what the compiler says below it (`text`, `json`)
 *     ```kiln next        the next release of the program, with its migration (`sql`) or its refusal (`text`) below it;
 *                         a line `-- …` of the SQL stands for any lines
 *     ```ts hooks/a.ts    a file of the program; so is ```html mails/a.html
 *     ```dotenv           lines `NAME=value` for the environment of its server
 *     ```json log         a part of what its log says last
 *     ```console          commands, which test/docs/commands.slow.test.ts runs
 *     ```http             requests and answers, in the notation of http-case.ts
 *
 * Comments are not shown either. Three are done in their turn: `<!-- sql: … -->`, `<!-- run: kiln db populate -->`, and
 * `<!-- http: … -->`, an exchange that a reader has seen before, such as a login. The
 * others are about what follows them: `<!-- unchecked: why -->` a block that no test can check, and
 * `<!-- evaluated for: Book as book, 1 -->` and `<!-- validated at: Book -->` a table whose rows are examples.
 */
import type { Block, Comment, Part, Table } from './document-parts.ts';
import { rowExamples } from './document-tables.ts';
import { type Exchange, httpCaseFromText } from './http-case.ts';

export interface DocumentExamples {
  readonly programs: readonly DocumentProgram[];
  readonly mistakes: readonly Mistake[];
  /** Blocks and comments that mean nothing here, each with its line. */
  readonly unknown: readonly string[];
  readonly unchecked: readonly string[];
}

export interface DocumentProgram {
  readonly line: number;
  readonly files: Map<string, string>;
  readonly environment: Record<string, string>;
  readonly steps: Step[];
}

export type Step =
  | { readonly kind: 'exchange'; readonly line: number; readonly exchange: Exchange }
  | { readonly kind: 'sql'; readonly line: number; readonly text: string }
  | { readonly kind: 'log'; readonly line: number; readonly text: string }
  | { readonly kind: 'populate'; readonly line: number; readonly command: string }
  | { readonly kind: 'release'; readonly line: number; readonly source: string; shown: Block | null };

export interface Mistake {
  readonly line: number;
  readonly source: string;
  shown: Block | null;
}

/** How far the reading of a document has come. */
interface Reading {
  readonly programs: DocumentProgram[];
  readonly mistakes: Mistake[];
  readonly unknown: string[];
  readonly unchecked: string[];
  /** What waits for the block that shows what comes of it. */
  waiting: { shown: Block | null } | null;
  /** What is said about the block or the table that comes next. */
  comment: Comment | null;
}

export function examplesFromParts(parts: readonly Part[]): DocumentExamples {
  const reading: Reading = { programs: [], mistakes: [], unknown: [], unchecked: [], waiting: null, comment: null };
  for (const part of parts) readPart(part, reading);
  return reading;
}

/** Commands have a mark of their own, for the test that runs them. */
const UNCHECKED = /^(unchecked|not run): /;

function readPart(part: Part, reading: Reading): void {
  const { comment } = reading;
  reading.comment = null;
  const isUnchecked = comment !== null && UNCHECKED.test(comment.text);
  if (comment && part.kind === 'table' && !isUnchecked) readTable(part, comment, reading);
  else if (comment && part.kind === 'block' && isUnchecked)
    reading.unchecked.push(`${part.line}: ${comment.text.replace(UNCHECKED, '')}`);
  else {
    if (comment) reading.unknown.push(`${comment.line}: <!-- ${comment.text} -->`);
    readPlain(part, reading);
  }
}

function readPlain(part: Part, reading: Reading): void {
  if (part.kind === 'comment') readComment(part, reading);
  else if (part.kind === 'block' && !readBlock(part, reading))
    reading.unknown.push(`${part.line}: ${[part.language, ...part.words].join(' ')}`);
}

function readComment(comment: Comment, reading: Reading): void {
  const { line } = comment;
  const [, kind, text = ''] = /^(sql|run|http):\s(.*)$/s.exec(comment.text) ?? [];
  const steps = reading.programs.at(-1)?.steps;
  if (steps && kind === 'sql') steps.push({ kind, line, text });
  else if (steps && kind === 'run') steps.push({ kind: 'populate', line, command: text });
  else if (steps && kind === 'http') steps.push(...exchangeSteps(text, line));
  else if (/^(unchecked|not run|evaluated( in the server)? for|validated at): ./.test(comment.text))
    reading.comment = comment;
  else reading.unknown.push(`${comment.line}: <!-- ${comment.text} -->`);
}

function readTable(table: Table, comment: Comment, { programs, unknown }: Reading): void {
  const program = programs.at(-1);
  const examples = program && rowExamples(table, comment.text);
  if (!program || !examples) return void unknown.push(`${table.line}: a table about nothing`);
  program.files.set(`table-${table.line}.kiln`, examples.source);
  for (const exchange of examples.exchanges) program.steps.push({ kind: 'exchange', line: table.line, exchange });
}

type Reader = (block: Block, reading: Reading) => boolean;

const READERS: Readonly<Record<string, Reader>> = {
  kiln(block, { programs }) {
    programs.push({ line: block.line, files: new Map([['main.kiln', block.text]]), environment: {}, steps: [] });
    return true;
  },
  'kiln more': inProgram((block, { files }) => files.set(`more-${block.line}.kiln`, block.text)),
  'kiln wrong'(block, reading) {
    const mistake: Mistake = { line: block.line, source: block.text, shown: null };
    reading.mistakes.push(mistake);
    reading.waiting = mistake;
    return true;
  },
  'kiln next': inProgram((block, { steps }, reading) => {
    const release: Step = { kind: 'release', line: block.line, source: block.text, shown: null };
    steps.push(release);
    reading.waiting = release;
  }),
  ts: inProgram(({ words: [path = ''], text }, { files }) => files.set(path, text)),
  dotenv: inProgram(({ text }, { environment }) => {
    for (const line of text.trim().split('\n'))
      environment[line.split('=')[0] ?? ''] = line.slice(line.indexOf('=') + 1);
  }),
  /** Run by commands.slow.test.ts. */
  console: () => true,
  'json log': inProgram(({ line, text }, { steps }) => steps.push({ kind: 'log', line, text })),
  http: inProgram(({ line, text }, { steps }) => steps.push(...exchangeSteps(text, line))),
};

function exchangeSteps(text: string, line: number): readonly Step[] {
  const { exchanges } = httpCaseFromText(`line ${line}`, `### line ${line}\n${text}`);
  return exchanges.map((exchange): Step => ({ kind: 'exchange', line, exchange }));
}

/** Blocks that show what comes of the source above them. */
const SHOWN = new Set(['text', 'json', 'sql']);

function readBlock(block: Block, reading: Reading): boolean {
  const { waiting } = reading;
  reading.waiting = null;
  if (SHOWN.has(block.language) && waiting) {
    waiting.shown = block;
    return true;
  }
  const reader = READERS[readerName(block)];
  return reader ? reader(block, reading) : false;
}

function readerName({ language, words }: Block): string {
  if (language === 'ts' || language === 'html') return /^\S+\.(?:m?[jt]s|html)$/.test(words.join(' ')) ? 'ts' : '';
  return language === 'console' ? language : [language, ...words].join(' ');
}

function inProgram(read: (block: Block, program: DocumentProgram, reading: Reading) => unknown): Reader {
  return (block, reading) => {
    const program = reading.programs.at(-1);
    if (program) read(block, program, reading);
    return program !== undefined;
  };
}
