/** A difference for people: a line for each change, those that break something first. Colours only add to the words. */
import { groupedBy } from '../../compiler/definition/lookup.ts';
import type { ApiChange, DataStep, SettingChange } from '../../compiler/difference/difference.ts';
import { hazardWords, shortHazardWords } from '../../compiler/difference/hazard-words.ts';
import type { Place, Placed, PlacedDifference } from './placed-difference.ts';

interface TextOptions {
  readonly colour: boolean;
}

export interface Row {
  readonly mark: string;
  readonly says: string;
  readonly place: Place | null;
  /** The lines below it. */
  readonly more?: readonly string[];
  /** More about it, for pages. */
  readonly details?: readonly string[];
}

interface Part {
  readonly title: 'API' | 'Data' | 'Access' | 'Cost' | 'Settings' | 'Work';
  readonly rows: readonly Row[];
}

/** All parts, and a last line that counts. */
export function differenceLines(difference: PlacedDifference, options: TextOptions): readonly string[] {
  const parts = partsOf(difference);
  if (parts.every(({ rows }) => rows.length === 0)) return ['No change'];
  const shown = parts.flatMap(({ title, rows }) => [title, ...rowLines(rows, options), '']);
  return [...shown, countLine(parts)];
}

/** Formats the difference for a pull request: first what a reviewer must not miss, then all of it, as it is printed. */
export function differenceMarkdown(difference: PlacedDifference, title: string): string {
  const rows = partsOf(difference).flatMap((part) => part.rows);
  const noticed = NOTICED.flatMap(({ heading, marks }) => {
    const found = rows.filter(({ mark }) => marks.includes(mark));
    return found.length === 0 ? [] : [`### ${heading}`, '', ...fenced(rowLines(found, PLAIN)), ''];
  });
  const nothing = ['Nothing breaks callers, weakens access or deletes data.', ''];
  const whole = fenced([title, '', ...differenceLines(difference, PLAIN)]);
  return [...(noticed.length > 0 ? noticed : nothing), '### All changes', '', ...whole].join('\n');
}

/** The fence is longer than any in the lines, so that nothing in them is Markdown. */
function fenced(lines: readonly string[]): readonly string[] {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return [`${fence}text`, ...lines, fence];
}

const PLAIN: TextOptions = { colour: false };

/** What a release changes for those who call it and run it, weaker rules first: at most so many lines, and how many more there are. */
export function callerLines(difference: PlacedDifference, most: number, options: TextOptions): readonly string[] {
  const { api, access, settings = [] } = difference;
  const weaker = access.filter(({ direction }) => direction === 'weaker');
  const required = settings.filter(({ level }) => level === 'required');
  return shortened([...accessRows(weaker), ...required.map(settingRow), ...groupedRows(api)], most, options);
}

export function apiLines(api: readonly Placed<ApiChange>[], most: number, options: TextOptions): readonly string[] {
  return shortened(groupedRows(api), most, options);
}

export function accessLines(access: PlacedDifference['access'], most: number, options: TextOptions): readonly string[] {
  return shortened(accessRows(access), most, options);
}

/**
 * The parts about requests, for a release whose migration is shown on its own. Access and cost only show what changed.
 */
export function callerParts(difference: PlacedDifference, options: TextOptions): readonly string[] {
  const [api, , ...others] = partsOf(difference);
  const parts = [...(api ? [api] : []), ...others.filter(({ rows }) => rows.length > 0)];
  return parts.flatMap(({ title, rows }, at) => [...(at === 0 ? [] : ['']), title, ...rowLines(rows, options)]);
}

function shortened(rows: readonly Row[], most: number, options: TextOptions): readonly string[] {
  const shown = rows.length > most ? rows.slice(0, most) : rows;
  const left = rows.length - shown.length;
  const lines = shown.length === 0 ? [] : rowLines(shown, options).map((line) => line.slice(INDENT.length));
  return [...lines, ...(left > 0 ? [`and ${left} more`] : [])];
}

export function partsOf({ api, data, access, cost, settings = [], work = [] }: PlacedDifference): readonly Part[] {
  return [
    { title: 'API', rows: apiRows(api) },
    { title: 'Data', rows: dataRows(data) },
    { title: 'Access', rows: accessRows(access) },
    { title: 'Cost', rows: cost.map((change) => ({ ...change, mark: change.direction, says: about(change) })) },
    ...(settings.length === 0 ? [] : [{ title: 'Settings', rows: settings.map(settingRow) } as const]),
    ...(work.length === 0
      ? []
      : [{ title: 'Work', rows: work.map((line) => ({ ...line, mark: line.change })) } as const]),
  ];
}

// ── Rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function apiRows(changes: PlacedDifference['api']): readonly Row[] {
  return changes.map((change) => ({
    mark: change.level,
    says: about(change),
    place: change.place,
    details: [`rule \`${change.rule}\``],
  }));
}

/**
 * Groups the changes that several endpoints share in the same words into one row. Breaking changes are listed for each
 * endpoint.
 */
function groupedRows(changes: PlacedDifference['api']): readonly Row[] {
  const groups = groupedBy(changes, (change) => (change.level === 'compatible' ? wordsOf(change) : about(change)));
  return [...groups].flatMap(([words, group]) => (group.length === 1 ? apiRows(group) : [groupRow(words, group)]));
}

/** The words of a change, without the endpoint that they may begin with. */
function wordsOf({ endpoint, says }: ApiChange): string {
  const start = `${endpoint}: `;
  return endpoint !== null && says.startsWith(start) ? says.slice(start.length) : says;
}

const MOST_NAMED = 3;

function groupRow(words: string, group: readonly Placed<ApiChange>[]): Row {
  const endpoints = group.map(({ endpoint }) => endpoint ?? '');
  const left = endpoints.length - MOST_NAMED;
  const named = left > 0 ? [...endpoints.slice(0, MOST_NAMED), `and ${left} more`] : endpoints;
  return { mark: 'compatible', says: `${group.length} endpoints: ${words} (${named.join(', ')})`, place: null };
}

function settingRow({ level, says, place }: Placed<SettingChange>): Row {
  return { mark: level, says, place };
}

function accessRows(changes: PlacedDifference['access']): readonly Row[] {
  return changes.map((change) => ({ mark: change.direction, says: about(change), place: change.place }));
}

/** A sentence need not name the endpoint that it is about. */
function about({ endpoint, says }: { readonly endpoint: string | null; readonly says: string }): string {
  return endpoint === null || says.includes(endpoint) ? says : `${endpoint}: ${says}`;
}

function dataRows({ steps, later, undecided = [] }: PlacedDifference['data']): readonly Row[] {
  const beside = { mark: 'safe', says: 'the previous release can be served beside this one', place: null };
  return [
    ...undecided.map(({ says, place, help }) => ({ mark: 'undecided', says, place, more: help?.split('\n') ?? [] })),
    ...(steps.length + later.length > 0 ? [beside] : []),
    ...steps.map((step) => stepRow(step, 'now')),
    ...later.map((step) => stepRow(step, 'later')),
  ];
}

function stepRow({ says, hazards, place }: Placed<DataStep>, when: string): Row {
  const isLoss = hazards.some(({ kind }) => kind === 'data-loss');
  const words = [...new Set(hazards.flatMap(shortHazardWords))];
  const mark = isLoss ? `${when}, loss` : when;
  const said = words.length === 0 ? says : `${says} (${words.join(', ')})`;
  return { mark, says: said, place, details: hazards.map(hazardWords) };
}

// ── Lines ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const INDENT = '  ';

function rowLines(rows: readonly Row[], { colour }: TextOptions): readonly string[] {
  if (rows.length === 0) return [`${INDENT}no change`];
  const width = Math.max(...rows.map(({ mark }) => mark.length));
  return rows.flatMap(({ mark, says, place, more = [] }) => {
    const where =
      place === null
        ? ''
        : `  ${colour ? `\u001b[2m${place.file}:${place.line}\u001b[0m` : `${place.file}:${place.line}`}`;
    const below = more.map((line) => `${INDENT}${' '.repeat(width)}  ${line}`);
    return [`${INDENT}${marked(mark, width, colour)}  ${says}${where}`, ...below];
  });
}

export const NOTICED: readonly { readonly heading: string; readonly marks: readonly string[] }[] = [
  { heading: 'Who may do more than before', marks: ['weaker'] },
  { heading: 'What breaks callers', marks: ['breaking'] },
  { heading: 'What data would be lost', marks: ['now, loss', 'later, loss'] },
  { heading: 'What must be set before servers start', marks: ['required'] },
  { heading: 'What cannot be released like this', marks: ['undecided'] },
];

const LOUD: ReadonlySet<string> = new Set(NOTICED.flatMap(({ marks }) => marks));

function marked(mark: string, width: number, colour: boolean): string {
  const padded = mark.padEnd(width);
  return colour && LOUD.has(mark) ? `\u001b[1;31m${padded}\u001b[0m` : padded;
}

function countLine(parts: readonly Part[]): string {
  const counted = parts.filter(({ rows }) => rows.length > 0).map(({ title, rows }) => `${title}: ${countsOf(rows)}`);
  return counted.join('; ');
}

/** `2 breaking, 1 compatible`. */
function countsOf(rows: readonly Row[]): string {
  const counts = new Map<string, number>();
  for (const { mark } of rows) if (mark !== 'safe') counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return [...counts].map(([mark, count]) => `${count} ${mark}`).join(', ');
}
