/** A Markdown file as its parts, in order: headings, fenced blocks, tables, and comments that no reader sees. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export type Part = Heading | Block | Table | Comment;

interface Heading {
  readonly kind: 'heading';
  readonly line: number;
  readonly level: number;
  readonly text: string;
}

export interface Block {
  readonly kind: 'block';
  readonly line: number;
  readonly language: string;
  /** What stands behind the language; it is not shown. */
  readonly words: readonly string[];
  readonly text: string;
}

export interface Table {
  readonly kind: 'table';
  readonly line: number;
  readonly header: readonly string[];
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

export interface Comment {
  readonly kind: 'comment';
  readonly line: number;
  readonly text: string;
}

export function readDocument(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8');
}

const PART =
  /^(?<fence>`{3,})(?<info>[^\n`]*)\n(?<text>.*?)^\k<fence>$|^<!--(?<comment>.*?)-->$|^(?<level>#+) (?<title>[^\n]+)$|(?<table>(?:^\|[^\n]*\n?)+)/gms;

export function partsFromText(text: string): readonly Part[] {
  return [...text.matchAll(PART)].map(({ index, groups = {} }) => {
    const line = text.slice(0, index).split('\n').length;
    if (groups.comment !== undefined) return { kind: 'comment', line, text: groups.comment.trim() };
    if (groups.title !== undefined)
      return { kind: 'heading', line, level: groups.level?.length ?? 1, text: groups.title };
    if (groups.table !== undefined) return tableFromText(groups.table, line);
    const [language = '', ...words] = (groups.info ?? '').trim().split(/\s+/);
    return { kind: 'block', line, language, words, text: groups.text ?? '' };
  });
}

function tableFromText(text: string, line: number): Table {
  const [header = [], , ...rows] = text.trimEnd().split('\n').map(cellsOf);
  return { kind: 'table', line, header, rows: rows.map((cells, at) => ({ line: line + 2 + at, cells })) };
}

function cellsOf(row: string): readonly string[] {
  const inner = row.trim().replace(/^\||\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
