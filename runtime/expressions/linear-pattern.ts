/**
 * Matches patterns in linear time, with RE2. A pattern is translated so that RE2 and JavaScript agree on every text: sets
 * of characters are written as the code points that JavaScript has in them.
 */
import { RE2JS } from 're2js';
import {
  type Assertion,
  type CharacterItem,
  type CharacterSet,
  longestTextFor,
  longestUnits,
  type Pattern,
  readPattern,
} from '../../compiler/definition/pattern.ts';

interface LinearPattern {
  /** The limit in characters. Longer texts are rejected without matching them. */
  readonly longestText: number;
  matches(text: string): boolean;
}

const patterns = new Map<string, LinearPattern>();

/** A program has few patterns, and each of them is compiled once. */
export function linearPattern(source: string): LinearPattern {
  const known = patterns.get(source) ?? compiled(source);
  patterns.set(source, known);
  return known;
}

function compiled(source: string): LinearPattern {
  const read = readPattern(source);
  if ('problem' in read)
    throw new Error(`the pattern ${source} has a part that is not supported: ${read.problem.part}`);
  const expression = RE2JS.compile(re2TextOf(read.pattern));
  const longest = longestUnits(read.longestMatch);
  const matches = (text: string) => text.length <= longest && expression.test(text);
  return { longestText: longestTextFor(read), matches };
}

function re2TextOf(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'set':
      return setText(pattern.set);
    case 'assertion':
      return ASSERTIONS[pattern.assertion];
    case 'sequence':
      return `(?:${pattern.parts.map(re2TextOf).join('')})`;
    case 'choice':
      return `(?:${pattern.parts.map(re2TextOf).join('|')})`;
    case 'repeat':
      return `(?:${re2TextOf(pattern.part)})${countText(pattern.least, pattern.most)}`;
  }
}

const ASSERTIONS: Readonly<Record<Assertion, string>> = {
  start: '\\A',
  end: '\\z',
  boundary: '\\b',
  'no-boundary': '\\B',
};

function countText(least: number, most: number | null): string {
  if (most === null && least < 2) return least === 0 ? '*' : '+';
  return most === null ? `{${least},}` : `{${least},${most}}`;
}

// ── Sets of characters ──────────────────────────────────────────────────────────────────────────────────────────────

/** Code points, both included. Those of a set are in order and do not touch. */
type Range = readonly [number, number];

const LAST = 0x10ffff;

function setText({ isNegated, items }: CharacterSet): string {
  const found = united(items.flatMap(rangesOf));
  const ranges = isNegated ? complement(found) : found;
  if (ranges.length === 0) return `[^${rangeText([0, LAST])}]`;
  return `[${ranges.map(rangeText).join('')}]`;
}

function rangeText([from, to]: Range): string {
  return from === to ? pointText(from) : `${pointText(from)}-${pointText(to)}`;
}

function pointText(point: number): string {
  return `\\x{${point.toString(16)}}`;
}

function rangesOf(item: CharacterItem): readonly Range[] {
  switch (item.kind) {
    case 'range':
      return [[item.from, item.to]];
    case 'any':
      return complement(LINE_ENDS);
    case 'class':
      return CLASSES[item.letter];
    case 'property':
      return rangesOfProperty(item.text);
  }
}

function united(ranges: readonly Range[]): readonly Range[] {
  const all: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}

function complement(ranges: readonly Range[]): readonly Range[] {
  const ends = [...ranges, [LAST + 1, LAST + 1] as const];
  return ends.flatMap(([from], at) => {
    const start = at === 0 ? 0 : (ends[at - 1] as Range)[1] + 1;
    return start < from ? [[start, from - 1] as const] : [];
  });
}

const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORDS: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACES: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const CLASSES: Readonly<Record<Extract<CharacterItem, { kind: 'class' }>['letter'], readonly Range[]>> = {
  d: DIGITS,
  D: complement(DIGITS),
  s: SPACES,
  S: complement(SPACES),
  w: WORDS,
  W: complement(WORDS),
};

// ── Properties of Unicode ───────────────────────────────────────────────────────────────────────────────────────────

const properties = new Map<string, readonly Range[]>();

function rangesOfProperty(text: string): readonly Range[] {
  const known = properties.get(text) ?? searchedRanges(text);
  properties.set(text, known);
  return known;
}

/** The ranges by the tables of this Node: RE2 has its own, of another version of Unicode. */
function searchedRanges(text: string): readonly Range[] {
  const property = new RegExp(text, 'u');
  const found: Range[] = [];
  for (let point = 0, from = -1; point <= LAST + 1; point++) {
    const isIn = point <= LAST && property.test(String.fromCodePoint(point));
    if (isIn && from < 0) from = point;
    if (isIn || from < 0) continue;
    found.push([from, point - 1]);
    from = -1;
  }
  return found;
}
