/** `kiln check --fix`: makes the edits that errors suggest, or shows them. */
import { isAbsolute, join } from 'node:path';
import { visible, visibleLines } from '../../compiler/diagnostics/source-line.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { fixSources } from '../../compiler/fix-sources.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { fileTextIn } from '../../files/file-text.ts';
import type { ReadSources } from '../../files/read-sources.ts';
import { writeWhole } from '../../files/write-file.ts';
import { sourceMapOf, startParser } from './project.ts';
import { hasColour, print, printPainted, Refusal } from './terminal.ts';

export interface FixedRead {
  /** The sources as they are after the fixes, on the disk or not. */
  readonly read: ReadSources;
  readonly fixes: number;
  /** How many errors no edit fixes. */
  readonly left: number;
  readonly changed: readonly SourceFile[];
}

export async function fixed(read: ReadSources): Promise<FixedRead> {
  await startParser();
  const { sources, fixes, left } = fixSources(read.sources, fileTextIn(read.folder));
  const changed = sources.filter((source, index) => source.text !== read.sources[index]?.text);
  return { read: { ...read, sources }, fixes, left, changed };
}

/** A file that cannot be written ends the command; those before it are whole. */
export function writeFixes({ read, changed }: FixedRead): void {
  for (const { path, text } of changed) {
    const refusal = writeWhole(join(read.folder, path), text);
    if (refusal) throw new Refusal(refusal);
  }
}

/** As the diagnostics name them. */
export function changedFiles({ read, changed }: FixedRead): readonly string[] {
  const names = sourceMapOf(read);
  return changed.map(({ path }) => names.name(path));
}

export function printFixes(fix: FixedRead): void {
  const files = changedFiles(fix).map((file) => `\`${visible(file)}\``);
  if (fix.fixes > 0) print(`Fixed ${plural(fix.fixes, 'error')} in ${files.join(', ')}`);
  else if (fix.left > 0) print('No error can be fixed automatically');
}

export function printDiff({ fixes, left, changed }: FixedRead, before: ReadSources): void {
  const paint = hasColour(process.stdout) ? inColour : visibleLines;
  const names = sourceMapOf(before);
  for (const { path, text } of changed) {
    const old = before.sources.find((source) => source.path === path)?.text ?? '';
    // A patch names files from where it is applied.
    const name = isAbsolute(names.name(path)) ? path : names.name(path);
    for (const line of sourceDiff(name, old, text)) printPainted(paint(line));
  }
  if (fixes > 0) print('');
  print(dryRunSummary(fixes, left));
}

function dryRunSummary(fixes: number, left: number): string {
  if (fixes === 0) return left === 0 ? 'No errors' : 'No error can be fixed automatically';
  const rest = left === 0 ? '' : `, ${left} must be fixed by hand`;
  return `${plural(fixes, 'error')} can be fixed${rest}. Nothing was written: leave out \`--dry-run\` to write the changes`;
}

const COLOURS: Readonly<Record<string, string>> = { '-': '31', '+': '32', '@': '36' };

function inColour(line: string): string {
  const colour = COLOURS[line.charAt(0)];
  return colour ? `\u001b[${colour}m${visibleLines(line)}\u001b[0m` : visibleLines(line);
}

// ── Source diff ──────────────────────────────────────────────────────────────────────────────────────────────────────

// Two texts of one file in, a unified diff out, as `diff -u` and git write it.

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

const CONTEXT = 3;
/** Larger stretches are shown as replaced whole, because comparing them line by line would take too long. */
const MOST_COMPARED = 4_000_000;

export function sourceDiff(path: string, before: string, after: string): readonly string[] {
  const lines = linesBetween(linesOf(before), linesOf(after));
  return [`--- a/${path}`, `+++ b/${path}`, ...hunksOf(lines).flatMap((hunk) => hunkText(lines, hunk))];
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function linesBetween(before: readonly string[], after: readonly string[]): readonly Line[] {
  const head = sameAtStart(before, after);
  const rest = [before.slice(head), after.slice(head)] as const;
  const tail = sameAtStart(rest[0].toReversed(), rest[1].toReversed());
  const middle = compared(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  return [...before.slice(0, head).map(same), ...middle, ...before.slice(before.length - tail).map(same)];
}

function same(text: string): Line {
  return { sign: ' ', text };
}

function sameAtStart(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count++;
  return count;
}

/** By the longest common subsequence. */
function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length * after.length > MOST_COMPARED) return [...before.map(removed), ...after.map(added)];
  const longest = longestCommon(before, after);
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      lines.push(same(before[i] as string));
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && at(longest, i + 1, j) >= at(longest, i, j + 1))) {
      lines.push(removed(before[i++] as string));
    } else lines.push(added(after[j++] as string));
  }
  return lines;
}

function removed(text: string): Line {
  return { sign: '-', text };
}

function added(text: string): Line {
  return { sign: '+', text };
}

/** For each pair of places, how many lines both have in common from there on. */
function longestCommon(before: readonly string[], after: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = table[i] as number[];
      row[j] =
        before[i] === after[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}

function at(table: readonly (readonly number[])[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

/** From one index to another, without it. */
type Stretch = readonly [from: number, to: number];

/** The stretches that change, with some lines around them; those that meet are one. */
function hunksOf(lines: readonly Line[]): readonly Stretch[] {
  const hunks: [number, number][] = [];
  lines.forEach(({ sign }, index) => {
    if (sign === ' ') return;
    const from = Math.max(0, index - CONTEXT);
    const to = Math.min(lines.length, index + CONTEXT + 1);
    const last = hunks.at(-1);
    if (last && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  });
  return hunks;
}

function hunkText(lines: readonly Line[], [from, to]: Stretch): readonly string[] {
  const shown = lines.slice(from, to);
  const place = (sign: '-' | '+') => {
    const first = countOf(lines.slice(0, from), sign) + 1;
    return `${sign}${first},${countOf(shown, sign)}`;
  };
  return [`@@ ${place('-')} ${place('+')} @@`, ...shown.map(({ sign, text }) => sign + text)];
}

/** How many lines the old file (`-`) or the new one (`+`) has in this stretch. */
function countOf(lines: readonly Line[], side: '-' | '+'): number {
  return lines.filter(({ sign }) => sign === ' ' || sign === side).length;
}
