/**
 * Patterns of the validator `pattern`: regular expressions of ECMAScript with the flag `u`, without the parts that cannot
 * be matched in linear time. A pattern is read into a tree, which the compiler checks and the runtime translates.
 */
import { type AST, RegExpParser, RegExpValidator } from '@eslint-community/regexpp';

export type Pattern =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Pattern[] }
  /** `most` is null if there is no limit. */
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
  /** The property as written: `\p{Lu}`. */
  | { readonly kind: 'property'; readonly text: string };

type UnsupportedPart = 'lookahead' | 'lookbehind' | 'backreference' | 'modifier' | 'large-repeat' | 'deep' | 'large';

interface PatternProblem {
  readonly kind: UnsupportedPart;
  /** The part as written. */
  readonly part: string;
  /** The start of the part, in UTF-16 units from 0. */
  readonly at: number;
}

type ReadPattern = SoundPattern | { readonly problem: PatternProblem };

interface SoundPattern {
  readonly pattern: Pattern;
  /** The approximate number of states of an automaton for it. */
  readonly size: number;
  /**
   * The longest match in characters. A longer text does not match: the pattern covers the whole text, and has no `*` or
   * `+`.
   */
  readonly longestMatch: number;
}

/** RE2 repeats a part at most this often, repetitions inside of repetitions multiplied. */
const MOST_REPEATS = 1000;
/** The deepest nesting of groups. */
const DEEPEST_GROUPS = 100;
/** The largest number of parts, with each repetition written out. */
export const LARGEST_PATTERN = 10_000;
/** The limits that a problem can exceed. */
export const PATTERN_LIMITS: Readonly<Partial<Record<UnsupportedPart, number>>> = {
  'large-repeat': MOST_REPEATS,
  deep: DEEPEST_GROUPS,
  large: LARGEST_PATTERN,
};
/** Characters times parts: half a second in the worst case. */
const MOST_STEPS = 10_000_000;

/** The longest text that is compared with the pattern; infinite if the pattern itself rejects long texts. */
export function longestTextFor({ size, longestMatch }: SoundPattern): number {
  const most = Math.floor(MOST_STEPS / size);
  return longestUnits(longestMatch) <= most ? Number.POSITIVE_INFINITY : most;
}

/** The largest number of UTF-16 units of a text with this many characters. */
export function longestUnits(characters: number): number {
  return 2 * characters;
}

/** Reads a pattern. Throws a `SyntaxError` if the source is not a regular expression with the flag `u`. */
export function readPattern(source: string): ReadPattern {
  try {
    checkDepth(source);
    const pattern = choiceFrom(new RegExpParser().parsePattern(source, 0, source.length, UNICODE));
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

/** The largest number of characters that it matches. */
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

/** The number of repetitions of the most repeated part. */
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

  constructor(kind: UnsupportedPart, { start, raw }: Pick<AST.Node, 'start' | 'raw'>) {
    super(kind);
    this.problem = { kind, part: raw, at: start };
  }
}

/** Checks the nesting before the tree is made: reading and translating it recurse as deep as its groups. */
function checkDepth(source: string): void {
  let depth = 0;
  const enter = (start: number) => {
    if (depth++ === DEEPEST_GROUPS) throw new Unsupported('deep', { start, raw: '(' });
  };
  const leave = () => {
    depth--;
  };
  const validator = new RegExpValidator({
    onGroupEnter: enter,
    onGroupLeave: leave,
    onCapturingGroupEnter: enter,
    onCapturingGroupLeave: leave,
    onLookaroundAssertionEnter: enter,
    onLookaroundAssertionLeave: leave,
  });
  validator.validatePattern(source, 0, source.length, UNICODE);
}

const UNICODE = { unicode: true };

function choiceFrom({ alternatives }: Pick<AST.Group, 'alternatives'>): Pattern {
  const parts = alternatives.map(({ elements }) => alone('sequence', elements.map(patternFrom)));
  return alone('choice', parts);
}

function alone(kind: 'sequence' | 'choice', parts: readonly Pattern[]): Pattern {
  return parts.length === 1 ? (parts[0] as Pattern) : { kind, parts };
}

function patternFrom(node: AST.Element): Pattern {
  switch (node.type) {
    case 'Group':
      if (node.modifiers) throw new Unsupported('modifier', { ...node, raw: `(?${node.modifiers.raw}:` });
      return choiceFrom(node);
    case 'CapturingGroup':
      return choiceFrom(node);
    case 'Quantifier':
      return repeatFrom(node);
    case 'Assertion':
      if (node.kind === 'lookahead' || node.kind === 'lookbehind') throw new Unsupported(node.kind, node);
      if (node.kind !== 'word') return { kind: 'assertion', assertion: node.kind };
      return { kind: 'assertion', assertion: node.negate ? 'no-boundary' : 'boundary' };
    case 'Backreference':
      throw new Unsupported('backreference', node);
    case 'CharacterClass':
      return { kind: 'set', set: { isNegated: node.negate, items: node.elements.map(itemFrom) } };
    default:
      return { kind: 'set', set: { isNegated: false, items: [itemFrom(node)] } };
  }
}

/** Reads a quantifier. A lazy one matches the same texts. */
function repeatFrom(node: AST.Quantifier): Pattern {
  const { min: least, max } = node;
  const most = max === Number.POSITIVE_INFINITY ? null : max;
  const repeat: Pattern = { kind: 'repeat', part: patternFrom(node.element), least, most };
  if (least > MOST_REPEATS || repeatsOf(repeat) > MOST_REPEATS) throw new Unsupported('large-repeat', node);
  return repeat;
}

function itemFrom(node: AST.Node): CharacterItem {
  switch (node.type) {
    case 'Character':
      return { kind: 'range', from: node.value, to: node.value };
    case 'CharacterClassRange':
      return { kind: 'range', from: node.min.value, to: node.max.value };
    case 'CharacterSet':
      if (node.kind === 'any') return { kind: 'any' };
      if (node.kind === 'property') return { kind: 'property', text: node.raw };
      return { kind: 'class', letter: node.raw.slice(1) as 'd' };
    default:
      throw new Error(`${node.raw} needs the flag v`);
  }
}
