/** Problems of hooks as the compiler shows its own: the sentence, the place, the line with carets, the way out. */
import { relative, resolve } from 'node:path';
import { shownLine, visible } from '../../compiler/diagnostics/source-line.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import type { HookPlace, HookProblem } from '../hooks/hook-problem.ts';
import { errorMark, pointToExplanation } from './terminal.ts';

export function reportHookProblems(problems: readonly HookProblem[], projectFolder: string): void {
  const reports = problems.map((problem) => `${reportOf(problem, projectFolder)}\n`);
  process.stderr.write([...reports, `${plural(problems.length, 'error')}\n`].join('\n'));
  pointToExplanation(problems[0]?.code);
}

function reportOf({ code, message, place, label, help }: HookProblem, projectFolder: string): string {
  const gutter = ' '.repeat(String(place?.line ?? '').length);
  return [
    `${errorMark(`error[${code}]`)}: ${visible(message)}`,
    ...(place ? snippet(place, label, gutter, projectFolder) : []),
    ...(help === null ? [] : [`${gutter} = help: ${visible(help)}`]),
  ].join('\n');
}

function snippet(place: HookPlace, label: string | null, gutter: string, projectFolder: string): readonly string[] {
  const { text, indent, carets } = shownLine(place.lineText, place.start, place.end);
  const marks = '^'.repeat(carets) + (label === null ? '' : ` ${label}`);
  return [
    `  --> ${visible(pathFromHere(projectFolder, place.file))}:${place.line}:${place.start + 1}`,
    `${place.line} | ${text}`.trimEnd(),
    `${gutter} | ${' '.repeat(indent)}${marks}`,
  ];
}

/** As it can be opened from where the command runs. */
export function pathFromHere(projectFolder: string, file: string): string {
  const path = resolve(projectFolder, file);
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}
