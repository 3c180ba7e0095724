/**
 * A test of the API in one file that a newcomer can read: a program first, then what a client sends and gets, in order.
 *
 *     model Post { field title { type string } }
 *     api { entrypoint Post as post { create endpoint {} } }
 *
 *     ### creates a record
 *     POST /api/post
 *     { "title": "Hello" }
 *
 *     201
 *     { "id": 1, "title": "Hello" }
 *
 * - A line `//// hooks/price.ts` begins another file of the program.
 * - A request is its first line, headers, and a body; `Name: -` leaves a header out. JSON is sent as it stands; lines
 *   that begin with `|` are any text.
 * - An answer is a status, the headers that matter (`Name: -` says that it is absent, a name that is written twice
 *   must come twice), and the body. No body means an empty one; lines that begin with `|` are compared as text.
 *   `http-match.ts` says how the rest is compared.
 * - `"<name:anna>"` in an answer keeps a value; `{{anna}}` puts it into what comes later.
 * - A header `{{signed with SECRET}}` is a signature of the body, as Stripe makes it.
 * - `### sql` runs statements before the exchange below it; `### environment` has lines `NAME=value` for the server.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SourceFile } from '../../compiler/source/source-file.ts';

export interface HttpCase {
  readonly name: string;
  readonly sources: readonly SourceFile[];
  readonly files: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string>>;
  readonly exchanges: readonly Exchange[];
}

export interface Exchange {
  readonly title: string;
  /** Statements that run before the request is sent; empty for none. */
  readonly sql: string;
  readonly request: Request;
  readonly answer: Answer;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: Body | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Body | null;
}

export type Header = readonly [name: string, value: string];

export interface Body {
  readonly kind: 'json' | 'text';
  readonly text: string;
}

export function httpCases(folder: string): readonly HttpCase[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.http'))
    .sort()
    .map((file) => httpCaseFromText(basename(file, '.http'), readFileSync(join(folder, file), 'utf8')));
}

const TITLE = /^### (.+)$/m;
const FILE = /^\/\/\/\/ (\S+)$/m;

export function httpCaseFromText(name: string, text: string): HttpCase {
  const [program = '', ...parts] = text.split(TITLE);
  const sections = pairs(parts).map(([title, content]) => ({ title: title.trim(), content: content.trim() }));
  const files = filesFromText(program);
  return {
    name,
    sources: [...files].filter(([file]) => file.endsWith('.kiln')).map(([path, source]) => ({ path, text: source })),
    files,
    environment: Object.assign(
      {},
      ...sections.filter(isEnvironment).map(({ content }) => environmentFromText(content)),
    ),
    exchanges: exchangesFromSections(name, sections),
  };
}

interface Section {
  readonly title: string;
  readonly content: string;
}

function isEnvironment({ title }: Section): boolean {
  return title === 'environment';
}

function isSql({ title }: Section): boolean {
  return title === 'sql';
}

/** The statements above an exchange belong to it. */
function exchangesFromSections(name: string, sections: readonly Section[]): readonly Exchange[] {
  const inOrder = sections.filter((section) => !isEnvironment(section));
  return inOrder.flatMap((section, at) => {
    const before = inOrder[at - 1];
    return isSql(section) ? [] : [exchangeFromSection(name, section, before && isSql(before) ? before.content : '')];
  });
}

function environmentFromText(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]));
}

function filesFromText(text: string): ReadonlyMap<string, string> {
  const [main = '', ...others] = text.split(FILE);
  const all: [string, string][] = [['main.kiln', main], ...pairs(others)];
  return new Map(
    all.map(([file, content]) => [
      file,
      `${content.trim()}
`,
    ]),
  );
}

function pairs(items: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at < items.length; at += 2) found.push([items[at] ?? '', items[at + 1] ?? '']);
  return found;
}

function exchangeFromSection(file: string, { title, content }: Section, sql: string): Exchange {
  const place = `${file}: ${title}`;
  const [, request, answer] = /^(.*?)\n\s*\n(\d{3}(?:\n.*)?)$/s.exec(content) ?? [];
  if (request === undefined || answer === undefined) throw new Error(`${place}: no request and answer`);
  return { title, sql, request: requestFromText(place, request), answer: answerFromText(place, answer) };
}

function requestFromText(place: string, text: string): Request {
  const [first = '', ...lines] = text.split('\n');
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(first) ?? [];
  if (!method || !path) throw new Error(`${place}: \`${first}\` is not a request line`);
  return { method, path, ...headersAndBody(place, lines) };
}

function answerFromText(place: string, text: string): Answer {
  const [status, ...lines] = text.split('\n');
  return { status: Number(status), ...headersAndBody(place, lines) };
}

const HEADER = /^([A-Za-z][A-Za-z0-9-]*):\s*(.*)$/;

function headersAndBody(place: string, lines: readonly string[]): { headers: readonly Header[]; body: Body | null } {
  const end = lines.findIndex((line) => !HEADER.test(line));
  const head = end < 0 ? lines : lines.slice(0, end);
  return {
    headers: head.map((line) => {
      const [, name = '', value = ''] = HEADER.exec(line) ?? [];
      return [name.toLowerCase(), value.trim()] as const;
    }),
    body: end < 0 ? null : bodyFromLines(place, lines.slice(end)),
  };
}

function bodyFromLines(place: string, lines: readonly string[]): Body {
  if (lines.every((line) => line.startsWith('|'))) {
    return { kind: 'text', text: lines.map((line) => line.slice(1)).join('\n') };
  }
  const text = lines.join('\n');
  checkJson(place, text);
  return { kind: 'json', text };
}

/** Broken JSON is written with `|`, so that a slip of the author is found before anything is sent. */
function checkJson(place: string, text: string): void {
  try {
    JSON.parse(text.replace(/\{\{\w+\}\}/g, '0'));
  } catch (cause) {
    throw new Error(`${place}: a body is not JSON: ${text}`, { cause });
  }
}
