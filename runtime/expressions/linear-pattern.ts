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
/** Digits, spaces and letters of words are not above it. */
const LAST_OF_CLASSES = 0xffff;

function setText({ isNegated, items }: CharacterSet): string {
  const found = united(items.flatMap(rangesOf));
  const all = isNegated ? complement(found) : found;
  if (all.length === 0) return `[^${rangeText([0, LAST])}]`;
  return `[${all.map(rangeText).join('')}]`;
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
      return complement(rangesOfPattern('[\\n\\r\\u2028\\u2029]', LAST_OF_CLASSES));
    case 'class': {
      const found = rangesOfPattern(`\\${item.letter.toLowerCase()}`, LAST_OF_CLASSES);
      return item.letter === item.letter.toLowerCase() ? found : complement(found);
    }
    case 'property':
      return rangesOfPattern(item.text, LAST);
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

const ranges = new Map<string, readonly Range[]>();

/** The characters up to the last one that a pattern of one character matches. */
function rangesOfPattern(text: string, last: number): readonly Range[] {
  const known = ranges.get(text) ?? searchedRanges(text, last);
  ranges.set(text, known);
  return known;
}

/** The ranges by the tables of this Node: RE2 has its own, of another version of Unicode. */
function searchedRanges(text: string, last: number): readonly Range[] {
  const pattern = new RegExp(text, 'u');
  const found: Range[] = [];
  for (let point = 0, from = -1; point <= last + 1; point++) {
    const isIn = point <= last && pattern.test(String.fromCodePoint(point));
    if (isIn && from < 0) from = point;
    if (isIn || from < 0) continue;
    found.push([from, point - 1]);
    from = -1;
  }
  return found;
}
