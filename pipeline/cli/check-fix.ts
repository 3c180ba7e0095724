/** `kiln check --fix`: makes the edits that errors suggest, or shows them. */
import { isAbsolute, join } from 'node:path';
import { structuredPatch } from 'diff';
import { visible, visibleLines } from '../../compiler/diagnostics/source-line.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { fixSources } from '../../compiler/fix-sources.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { fileTextIn } from '../../files/file-text.ts';
import type { ReadSources } from '../../files/read-sources.ts';
import { sourceMapOf, startParser } from './project.ts';
import { hasColour, mustWrite, print, printPainted } from './terminal.ts';

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

/** Writes the fixes. A file that cannot be written ends the command; earlier ones are complete. */
export function writeFixes({ read, changed }: FixedRead): void {
  for (const { path, text } of changed) mustWrite(join(read.folder, path), text);
}

/** Lists the changed files as the diagnostics name them. */
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

const CONTEXT = 3;

export function sourceDiff(path: string, before: string, after: string): readonly string[] {
  const { hunks } = structuredPatch('', '', inLines(before), inLines(after), '', '', { context: CONTEXT });
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  return [`--- a/${path}`, `+++ b/${path}`, ...lines];
}

/** A file without a line break at its end is shown as if it had one. */
function inLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n?$/, '\n');
}
