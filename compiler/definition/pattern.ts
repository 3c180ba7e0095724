/**
 * Patterns of the validator `pattern`: regular expressions of ECMAScript with the flag `u`, without the parts that cannot
 * be matched in linear time. A pattern is read into a tree, which the compiler checks and the runtime translates.
 */

export type Pattern =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Pattern[] }
  /** `most` is null where there is no end. */
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly least: number; readonly most: number | null };

export type Assertion = 'start' | 'end' | 'boundary' | 'no-boundary';

/** One character out of these, or one that is not among them. */
export interface CharacterSet {
  readonly isNegated: boolean;
  readonly items: readonly CharacterItem[];
}

export type CharacterItem =
  /** Code points, both included. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'any' }
  | { readonly kind: 'class'; readonly letter: 'd' | 'D' | 's' | 'S' | 'w' | 'W' }
  /** As it is written: `\p{Lu}`. */
  | { readonly kind: 'property'; readonly text: string };

type UnsupportedPart = 'lookahead' | 'lookbehind' | 'backreference' | 'modifier' | 'large-repeat' | 'deep' | 'large';

interface PatternProblem {
  readonly kind: UnsupportedPart;
  /** As it is written. */
  readonly part: string;
  /** Where it begins, counted in UTF-16 units from 0. */
  readonly at: number;
}

type ReadPattern = SoundPattern | { readonly problem: PatternProblem };

interface SoundPattern {
  readonly pattern: Pattern;
  /** How many states an automaton for it has, about. */
  readonly size: number;
  /** In characters. A longer text does not match: the pattern is about the whole text, and has no `*` or `+`. */
  readonly longestMatch: number;
}

/** RE2 repeats a part at most this often, repetitions inside of repetitions multiplied. */
const MOST_REPEATS = 1000;
/** Groups inside of groups. */
const DEEPEST_GROUPS = 100;
/** In parts, with each repetition written out. */
export const LARGEST_PATTERN = 10_000;
/** What a problem exceeds, for those that are about a number. */
export const PATTERN_LIMITS: Readonly<Partial<Record<UnsupportedPart, number>>> = {
  'large-repeat': MOST_REPEATS,
  deep: DEEPEST_GROUPS,
  large: LARGEST_PATTERN,
};
/** Characters times parts: half a second in the worst case. */
const MOST_STEPS = 10_000_000;

/** How long a text may be to be compared with the pattern. Without end where the pattern itself refuses long texts. */
export function longestTextFor({ size, longestMatch }: SoundPattern): number {
  const most = Math.floor(MOST_STEPS / size);
  return longestUnits(longestMatch) <= most ? Number.POSITIVE_INFINITY : most;
}

/** Texts of more UTF-16 units have more characters than this. */
export function longestUnits(characters: number): number {
  return 2 * characters;
}

/** The source must be a regular expression that JavaScript can read with the flag `u`. */
export function readPattern(source: string): ReadPattern {
  try {
    const pattern = new PatternReader(source).choice(0);
    const size = sizeOf(pattern);
    if (size > LARGEST_PATTERN) return { problem: { kind: 'large', part: source, at: 0 } };
    return { pattern, size, longestMatch: longestMatchOf(pattern) };
  } catch (error) {
    if (error instanceof Unsupported) return { problem: error.problem };
    throw error;
  }
}

function longestMatchOf(pattern: Pattern): number {
  if (pattern.kind === 'choice') return Math.max(...pattern.parts.map(longestMatchOf));
  if (pattern.kind !== 'sequence') return Number.POSITIVE_INFINITY;
  const { parts } = pattern;
  const isWhole = isAssertion(parts[0], 'start') && isAssertion(parts.at(-1), 'end');
  return isWhole ? lengthOf(pattern) : Number.POSITIVE_INFINITY;
}

function isAssertion(pattern: Pattern | undefined, assertion: Assertion): boolean {
  return pattern?.kind === 'assertion' && pattern.assertion === assertion;
}

/** The most characters that it goes over. */
function lengthOf(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'set':
      return 1;
    case 'assertion':
      return 0;
    case 'sequence':
      return pattern.parts.reduce((sum, part) => sum + lengthOf(part), 0);
    case 'choice':
      return Math.max(...pattern.parts.map(lengthOf));
    case 'repeat': {
      const [length, most] = [lengthOf(pattern.part), pattern.most ?? Number.POSITIVE_INFINITY];
      return length === 0 || most === 0 ? 0 : length * most;
    }
  }
}

function sizeOf(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'set':
    case 'assertion':
      return 1;
    case 'sequence':
      return pattern.parts.reduce((sum, part) => sum + sizeOf(part), 1);
    case 'choice':
      return pattern.parts.reduce((sum, part) => sum + sizeOf(part) + 1, 0);
    case 'repeat': {
      const { least, most, part } = pattern;
      return most === null ? sizeOf(part) * Math.max(least, 1) + 1 : (sizeOf(part) + 1) * Math.max(most, 1);
    }
  }
}

/** How often the most repeated part within is repeated. */
function repeatsOf(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'set':
    case 'assertion':
      return 1;
    case 'sequence':
    case 'choice':
      return Math.max(1, ...pattern.parts.map(repeatsOf));
    case 'repeat':
      return repeatsOf(pattern.part) * Math.max(pattern.most ?? pattern.least, 1);
  }
}

class Unsupported extends Error {
  readonly problem: PatternProblem;

  constructor(problem: PatternProblem) {
    super(problem.kind);
    this.problem = problem;
  }
}

const ASSERTIONS: Readonly<Record<string, Assertion>> = { '^': 'start', $: 'end' };
const ESCAPED_ASSERTIONS: Readonly<Record<string, Assertion>> = { b: 'boundary', B: 'no-boundary' };
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };
const GROUPS: readonly (readonly [string, UnsupportedPart])[] = [
  ['(?=', 'lookahead'],
  ['(?!', 'lookahead'],
  ['(?<=', 'lookbehind'],
  ['(?<!', 'lookbehind'],
];

class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  choice(depth: number): Pattern {
    const parts = [this.#sequence(depth)];
    while (this.#takes('|')) parts.push(this.#sequence(depth));
    return parts.length === 1 ? (parts[0] as Pattern) : { kind: 'choice', parts };
  }

  #sequence(depth: number): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && this.#peek !== '|' && this.#peek !== ')') parts.push(this.#term(depth));
    return parts.length === 1 ? (parts[0] as Pattern) : { kind: 'sequence', parts };
  }

  #term(depth: number): Pattern {
    const start = this.#at;
    const part = this.#atom(depth);
    const counts = this.#counts();
    if (counts === null) return part;
    // Lazy or not, the same texts match.
    this.#takes('?');
    const repeat: Pattern = { kind: 'repeat', part, least: counts[0], most: counts[1] };
    if (counts[0] > MOST_REPEATS || repeatsOf(repeat) > MOST_REPEATS) throw this.#unsupported('large-repeat', start);
    return repeat;
  }

  #atom(depth: number): Pattern {
    if (this.#peek === '(') return this.#group(depth);
    if (this.#takes('.')) return setOf([{ kind: 'any' }]);
    if (this.#takes('[')) return { kind: 'set', set: this.#set() };
    const assertion = ASSERTIONS[this.#peek];
    if (assertion) {
      this.#at++;
      return { kind: 'assertion', assertion };
    }
    return this.#peek === '\\' ? this.#escape() : setOf([single(this.#character())]);
  }

  #group(depth: number): Pattern {
    const start = this.#at;
    if (depth === DEEPEST_GROUPS) throw this.#unsupported('deep', start, start + 1);
    for (const [opening, kind] of GROUPS) {
      if (this.#source.startsWith(opening, start)) throw this.#unsupported(kind, start, this.#endOfGroup(start));
    }
    this.#at++;
    if (this.#takes('?') && !this.#takes(':')) this.#name(start);
    const inner = this.choice(depth + 1);
    this.#at++;
    return inner;
  }

  /** `<name>`. What else follows `(?` changes how the group is read, as `(?i:` does. */
  #name(start: number): void {
    if (this.#peek !== '<') throw this.#unsupported('modifier', start, this.#source.indexOf(':', start) + 1);
    this.#at = this.#source.indexOf('>', this.#at) + 1;
  }

  /** Behind the parenthesis that closes the group; brackets in sets and behind backslashes do not count. */
  #endOfGroup(start: number): number {
    let depth = 0;
    for (let at = start; at < this.#source.length; at++) {
      const unit = this.#source[at];
      if (unit === '\\') at++;
      else if (unit === '[') at = endOfSet(this.#source, at);
      else if (unit === '(') depth++;
      else if (unit === ')' && --depth === 0) return at + 1;
    }
    return this.#source.length;
  }

  #escape(): Pattern {
    const start = this.#at;
    const letter = this.#source[start + 1] as string;
    const assertion = ESCAPED_ASSERTIONS[letter];
    if (assertion) {
      this.#at += 2;
      return { kind: 'assertion', assertion };
    }
    const reference = /\\(?:[1-9]\d*|k<[^>]*>)/y;
    reference.lastIndex = start;
    const found = reference.exec(this.#source);
    if (found) throw this.#unsupported('backreference', start, start + found[0].length);
    return setOf([this.#escapedItem()]);
  }

  #set(): CharacterSet {
    const isNegated = this.#takes('^');
    const items: CharacterItem[] = [];
    while (!this.#takes(']')) items.push(this.#range());
    return { isNegated, items };
  }

  #range(): CharacterItem {
    const first = this.#item();
    const isRange = first.kind === 'range' && this.#peek === '-' && this.#source[this.#at + 1] !== ']';
    if (!isRange) return first;
    this.#at++;
    const last = this.#item();
    return last.kind === 'range' ? { kind: 'range', from: first.from, to: last.to } : first;
  }

  #item(): CharacterItem {
    return this.#peek === '\\' ? this.#escapedItem() : single(this.#character());
  }

  /** Behind a backslash, one character or a class of them. */
  #escapedItem(): CharacterItem {
    this.#at++;
    const letter = this.#peek;
    if ('dDsSwW'.includes(letter)) {
      this.#at++;
      return { kind: 'class', letter: letter as 'd' };
    }
    if (letter === 'p' || letter === 'P') return this.#property();
    return single(this.#escapedCharacter(letter));
  }

  #property(): CharacterItem {
    const start = this.#at - 1;
    this.#at = this.#source.indexOf('}', start) + 1;
    return { kind: 'property', text: this.#source.slice(start, this.#at) };
  }

  #escapedCharacter(letter: string): number {
    if (letter === 'x') return this.#hexadecimal(1, 2);
    if (letter === 'u') return this.#unicode();
    if (letter === 'c') {
      this.#at += 2;
      return this.#source.charCodeAt(this.#at - 1) % 32;
    }
    const control = letter === 'b' ? 8 : CONTROLS[letter];
    if (control === undefined) return this.#character();
    this.#at++;
    return control;
  }

  #unicode(): number {
    if (this.#source[this.#at + 1] === '{') {
      const end = this.#source.indexOf('}', this.#at);
      const value = Number.parseInt(this.#source.slice(this.#at + 2, end), 16);
      this.#at = end + 1;
      return value;
    }
    const unit = this.#hexadecimal(1, 4);
    const low = /\\u(d[c-f][0-9a-f]{2})/iy;
    low.lastIndex = this.#at;
    const second = isHighSurrogate(unit) ? low.exec(this.#source)?.[1] : undefined;
    if (second === undefined) return unit;
    this.#at += 6;
    return String.fromCharCode(unit, Number.parseInt(second, 16)).codePointAt(0) as number;
  }

  /** So many digits, so far behind the place at hand. */
  #hexadecimal(behind: number, digits: number): number {
    const start = this.#at + behind;
    this.#at = start + digits;
    return Number.parseInt(this.#source.slice(start, this.#at), 16);
  }

  #counts(): readonly [number, number | null] | null {
    if (this.#takes('?')) return [0, 1];
    if (this.#takes('*')) return [0, null];
    if (this.#takes('+')) return [1, null];
    if (!this.#takes('{')) return null;
    const end = this.#source.indexOf('}', this.#at);
    const [least = '', most = least] = this.#source.slice(this.#at, end).split(',');
    this.#at = end + 1;
    return [Number(least), most === '' ? null : Number(most)];
  }

  get #peek(): string {
    return this.#source[this.#at] ?? '';
  }

  #takes(unit: string): boolean {
    const isNext = this.#peek === unit;
    if (isNext) this.#at++;
    return isNext;
  }

  #character(): number {
    const point = this.#source.codePointAt(this.#at) as number;
    this.#at += point > 0xffff ? 2 : 1;
    return point;
  }

  #unsupported(kind: UnsupportedPart, at: number, end = this.#at): Unsupported {
    return new Unsupported({ kind, part: this.#source.slice(at, end), at });
  }
}

function endOfSet(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function single(point: number): CharacterItem {
  return { kind: 'range', from: point, to: point };
}

function setOf(items: readonly CharacterItem[]): Pattern {
  return { kind: 'set', set: { isNegated: false, items } };
}
