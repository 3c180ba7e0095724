/**
 * A test case in one file that a newcomer can read: sources first, then what Kiln makes of them, as comments.
 *
 *     model Post { reference author { to Usr } }
 *
 *     // ── kiln says ──
 *     // error[unknown-model]: …
 *
 * A line `//// users.kiln` begins another source of the same program; hooks are given as `//// hooks/price.ts`.
 * UPDATE_GOLDEN=1 rewrites what is expected; the diff is then for a person to read.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Compilation, compile } from '../../compiler/compile.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';

export interface Expectation {
  /** What stands between the rules: `kiln says`, `models.Post.fields.title`. */
  readonly title: string;
  readonly text: string;
}

export interface CaseFile {
  readonly path: string;
  readonly name: string;
  readonly sources: readonly SourceFile[];
  readonly files: ReadonlyMap<string, string>;
  readonly expectations: readonly Expectation[];
}

const TITLE = /^\/\/ ── (.+) ──$/;
const FILE = /^\/\/\/\/ (\S+)$/;

const read = new Map<string, readonly CaseFile[]>();

/** The same objects for all files of tests in a process. */
export function caseFiles(folder: string): readonly CaseFile[] {
  const known = read.get(folder);
  if (known) return known;
  const found = readdirSync(folder)
    .filter((file) => file.endsWith('.kiln'))
    .sort()
    .map((file) => readCase(join(folder, file)));
  read.set(folder, found);
  return found;
}

function readCase(path: string): CaseFile {
  const lines = readFileSync(path, 'utf8').split('\n');
  const end = lines.findIndex((line) => TITLE.test(line));
  const head = end < 0 ? lines : lines.slice(0, end);
  const files = splitFiles(head);
  return {
    path,
    name: basename(path, '.kiln'),
    sources: [...files].filter(([file]) => file.endsWith('.kiln')).map(([file, text]) => ({ path: file, text })),
    files,
    expectations: end < 0 ? [] : splitExpectations(lines.slice(end)),
  };
}

function splitFiles(lines: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string[]>();
  let current = 'main.kiln';
  for (const line of lines) {
    const next = FILE.exec(line)?.[1];
    if (next) current = next;
    else files.set(current, [...(files.get(current) ?? []), line]);
  }
  return new Map([...files].map(([file, text]) => [file, `${text.join('\n').trim()}\n`]));
}

function splitExpectations(lines: readonly string[]): readonly Expectation[] {
  const found: { title: string; lines: string[] }[] = [];
  for (const line of lines) {
    const title = TITLE.exec(line)?.[1];
    if (title) found.push({ title, lines: [] });
    else found.at(-1)?.lines.push(line.replace(/^\/\/ ?/, ''));
  }
  return found.map(({ title, lines: text }) => ({ title, text: text.join('\n').trim() }));
}

/** Without the program, which would take much memory. */
export type CompiledCase = Pick<Compilation, 'definition' | 'diagnostics'>;

const compiled = new WeakMap<CaseFile, CompiledCase>();

/** Compiles each case once in a process. */
export function compileCase(testCase: CaseFile): CompiledCase {
  const known = compiled.get(testCase);
  if (known) return known;
  const { definition, diagnostics } = compile(testCase.sources, (path) => testCase.files.get(path));
  compiled.set(testCase, { definition, diagnostics });
  return { definition, diagnostics };
}

export const isUpdating = process.env.UPDATE_GOLDEN === '1';

/** Writes what was seen in place of what was expected. */
export function updateCase(testCase: CaseFile, seen: readonly Expectation[]): void {
  const lines = readFileSync(testCase.path, 'utf8').split('\n');
  const end = lines.findIndex((line) => TITLE.test(line));
  const head = (end < 0 ? lines : lines.slice(0, end)).join('\n').trimEnd();
  writeFileSync(testCase.path, `${head}\n\n${seen.map(expectationText).join('\n\n')}\n`);
}

function expectationText({ title, text }: Expectation): string {
  const lines = text.split('\n').map((line) => `// ${line}`.trimEnd());
  return [`// ── ${title} ──`, ...lines].join('\n');
}
