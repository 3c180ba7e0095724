/** `kiln diff`: what changes between two releases, revisions, images or work trees, for callers, data, access and cost. */
import { basename, resolve } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { writeWhole } from '../../files/write-file.ts';
import { differenceBetween } from '../difference/difference-between.ts';
import { differenceLines, differenceMarkdown } from '../difference/difference-text.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import { NOWHERE } from '../difference/subject-place.ts';
import { differencePage } from '../page/difference-page.ts';
import { complainOf } from './build-complaint.ts';
import { type Side, Sides, WORK_TREE } from './diff-side.ts';
import { complain, EXIT, type ExitCode, hasColour, print, printJson, printPainted, printText } from './terminal.ts';

interface DiffOptions {
  readonly dir: string;
  readonly branch?: string;
  /** The branch that the later side came from, in place of the earlier side. */
  readonly base?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
  /** The file to write, or true where none is named. */
  readonly html?: string | true;
  readonly exitCode?: boolean;
}

const DEFAULT_PAGE = 'diff.html';

export async function diff(from: string | undefined, to: string | undefined, options: DiffOptions): Promise<ExitCode> {
  if (from !== undefined && options.base !== undefined) {
    complain('--base stands for the earlier side, so name none; the later side is the work tree');
    return EXIT.usage;
  }
  try {
    const sides = new Sides(options.dir, options.branch);
    const before = await earlierSide(sides, from, options.base);
    const after = await sides.named(to ?? WORK_TREE);
    const definitions = definitionsOf(before, after);
    const difference = await differenceOf(before, after, definitions);
    const names = { from: before.name, to: after.name };
    const code = show({ names, definitions, difference }, options);
    if (code !== EXIT.ok || !options.exitCode) return code;
    return isHarmless(difference) ? EXIT.ok : EXIT.errors;
  } catch (error) {
    return complainOf(error);
  }
}

function earlierSide(sides: Sides, from: string | undefined, base: string | undefined): Side | Promise<Side> {
  if (base !== undefined) return sides.leftFrom(base);
  return from === undefined ? sides.newest() : sides.named(from);
}

interface Definitions {
  readonly before: Definition;
  readonly after: Definition;
}

function definitionsOf(before: Side, after: Side): Definitions {
  const later = after.definition();
  return { before: before.definition(), after: later };
}

/** The later sources have the places; the earlier ones only where the later side has none. */
async function differenceOf(before: Side, after: Side, definitions: Definitions): Promise<PlacedDifference> {
  const places = (await after.places(definitions.before)) ?? (await before.places(definitions.after)) ?? NOWHERE;
  return differenceBetween(definitions.before, definitions.after, places);
}

interface Compared {
  readonly names: { readonly from: string; readonly to: string };
  readonly definitions: Definitions;
  readonly difference: PlacedDifference;
}

function show({ names, definitions, difference }: Compared, { dir, json, markdown, html }: DiffOptions): ExitCode {
  if (html !== undefined) {
    const application = basename(resolve(dir));
    const page = differencePage({ application, ...names, difference, definitions });
    return writePage(html === true ? DEFAULT_PAGE : html, page);
  }
  if (json) printJson(JSON.stringify({ ...names, ...difference }, undefined, 2));
  else if (markdown) printText(differenceMarkdown(difference, titleOf(names)));
  else printPainted(textOf(names, difference));
  return EXIT.ok;
}

function textOf(names: Compared['names'], difference: PlacedDifference): string {
  const lines = differenceLines(difference, { colour: hasColour(process.stdout) });
  return [titleOf(names), '', ...lines].join('\n');
}

function titleOf({ from, to }: Compared['names']): string {
  return `From ${from} to ${to}`;
}

function writePage(file: string, page: string): ExitCode {
  const refusal = writeWhole(file, page);
  if (refusal === undefined) {
    print(`Wrote ${file}`);
    return EXIT.ok;
  }
  complain(refusal);
  return EXIT.usage;
}

/** Whether callers go on as before, nobody may do more than before, and no data is undecided. */
function isHarmless({ api, access, data }: PlacedDifference): boolean {
  const isBreaking = api.some(({ level }) => level === 'breaking');
  const isWeaker = access.some(({ direction }) => direction === 'weaker');
  return !isBreaking && !isWeaker && data.undecided === undefined;
}
