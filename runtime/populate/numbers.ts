/** Numbers for fields, from their names and the limits of their validators. */
import type { Digits } from '../../compiler/definition/expression.ts';
import type { Candidate, Choices, FreeNumbers, Open } from './candidates.ts';
import type { Constraints } from './constraints.ts';
import { type Random, YEAR } from './random.ts';

type Range = readonly [least: number, most: number];

/** The first that fits the name. */
const RANGES: readonly (readonly [RegExp, Range])[] = [
  [/(^|_)(stars|rating|score)$/, [1, 5]],
  [/(^|_)age$/, [18, 80]],
  [/(^|_)year$/, [1990, 2025]],
  [/(^|_)month$/, [1, 12]],
  [/(^|_)day$/, [1, 28]],
  [/(^|_)hour$/, [0, 23]],
  [/(^|_)(percent|percentage|discount|progress)$/, [0, 100]],
  [/(^|_)(quantity|stock|count|total|amount|seats|capacity)$/, [0, 100]],
  [/(^|_)(position|rank|priority|level|order|index|page)$/, [1, 20]],
  [/(^|_)port$/, [1024, 65_535]],
  [/(^|_)(lat|latitude)$/, [-90, 90]],
  [/(^|_)(lng|lon|longitude)$/, [-180, 180]],
  [/(^|_)(weight|height|width|length|depth)(_|$)/, [1, 100]],
  [/(^|_)(price|cost|fee|salary|budget|balance)(_|$)/, [1, 500]],
];
/** The names of moments in milliseconds. */
const MOMENT = /_(at|on|until)$/;
const ANY_NUMBER: Range = [1, 1000];

/** The limit beyond which a range is as good as open. */
const MOST_CHOICES = 2 ** 40;

export function integers(field: string, constraints: Constraints, random: Random, clock: number): readonly Candidate[] {
  const { min, max } = constraints;
  if (min !== undefined && max !== undefined && max - min < MOST_CHOICES) return [wholeNumbers(min, max)];
  const [least, most] = rangeOf(field, constraints, clock);
  const first = Math.ceil(least);
  const count = Math.max(1, Math.floor(most) - first + 1);
  // Validators may know other limits than names do.
  const aroundZero = open(constraints, () => random.below(2001) - 1000, Number);
  return [open(constraints, () => first + random.below(count), Number), aroundZero];
}

function wholeNumbers(min: number, max: number): Choices {
  const first = Math.ceil(min);
  const count = Math.max(0, Math.floor(max) - first + 1);
  return { kind: 'choices', size: () => count, at: (index) => first + index };
}

export function floats(field: string, constraints: Constraints, random: Random, clock: number): readonly Candidate[] {
  const range = rangeOf(field, constraints, clock);
  const hundredths = hundredthsOf(range, random);
  return [open(constraints, () => hundredths() / 100, Number), open(constraints, finely(range, random), Number)];
}

/** Makes decimals with two places, or with six where the limits are too close; fewer where the type allows fewer. */
export function decimals(
  field: string,
  given: Constraints,
  random: Random,
  clock: number,
  digits: Digits = { all: 21, places: 6 },
): readonly Candidate[] {
  const constraints = withinDigits(given, digits);
  const range = rangeOf(field, constraints, clock);
  const finer = finely(range, random);
  const [few, many] = [Math.min(2, digits.places), Math.min(6, digits.places)];
  const cents = few === 2 ? hundredthsOf(range, random) : () => Math.trunc(finer() * 10 ** few) * 10 ** (2 - few);
  return [
    open(
      constraints,
      () => (cents() / 100).toFixed(few),
      (number) => number.toFixed(few),
    ),
    open(
      constraints,
      () => finer().toFixed(many),
      (number) => number.toFixed(many),
    ),
  ];
}

function withinDigits(constraints: Constraints, { all, places }: Digits): Constraints {
  const most = 10 ** (all - places) - 10 ** -Math.min(places, 6);
  if (all - places >= 15) return constraints;
  const { max = most, min = max < 0 ? -most : 0 } = constraints;
  return { ...constraints, min: Math.max(min, -most), max: Math.min(max, most) };
}

/** Makes hundredths, rounded towards the middle of the range, so that no limit is passed. */
function hundredthsOf([least, most]: Range, random: Random): () => number {
  const first = Math.ceil(least * 100);
  const count = Math.max(1, Math.floor(most * 100) - first + 1);
  return () => first + random.below(count);
}

function finely([least, most]: Range, random: Random): () => number {
  return () => least + random.next() * (most - least);
}

function open({ min = 1 }: Constraints, any: Open['any'], text: (number: number) => string | number): Open {
  const first = Math.ceil(min) - 1;
  return { kind: 'open', any, numbered: (number) => text(first + number), free: above(first) };
}

function above(first: number): FreeNumbers {
  return { sql: (column) => `ceil(max(${column}))`, after: (found) => Math.max(1, Math.floor(found) + 1 - first) };
}

/** The range of the name where the validators allow it, else one that they do. */
function rangeOf(field: string, { min, max }: Constraints, clock: number): Range {
  const lastYear: Range = [clock - YEAR, clock];
  const named = RANGES.find(([name]) => name.test(field))?.[1];
  const [least, most] = named ?? (MOMENT.test(field) ? lastYear : ANY_NUMBER);
  const [low, high] = [Math.max(least, min ?? least), Math.min(most, max ?? most)];
  if (low <= high) return [low, high];
  const width = most - least;
  return min === undefined ? [(max ?? least) - width, max ?? most] : [min, Math.min(max ?? min + width, min + width)];
}
