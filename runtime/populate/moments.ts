/** Timestamps and dates for fields, from their names: around the moment at which populators run. */
import type { Open } from './candidates.ts';
import type { Random } from './random.ts';
import { DAY, END_OF_TIME, REFERENCE_TIME, SECOND, YEAR } from './reference-moment.ts';

type Span = readonly [from: number, to: number];

const SPANS: readonly (readonly [RegExp, Span])[] = [
  [/birth|born/, [REFERENCE_TIME - 80 * YEAR, REFERENCE_TIME - 18 * YEAR]],
  [/expire|until|due|deadline|ends?(_|$)|valid_to|next|scheduled|remind/, [REFERENCE_TIME, REFERENCE_TIME + YEAR]],
];
const LAST_YEAR: Span = [REFERENCE_TIME - YEAR, REFERENCE_TIME];

export function timestamps(field: string, random: Random): readonly Open[] {
  return [moments(field, random, SECOND, secondTexts())];
}

export function dates(field: string, random: Random): readonly Open[] {
  return [moments(field, random, DAY, dayTexts())];
}

function moments(field: string, random: Random, unit: number, text: (time: number) => string): Open {
  const [from, to] = SPANS.find(([name]) => name.test(field))?.[1] ?? LAST_YEAR;
  const count = (to - from) / unit;
  return {
    kind: 'open',
    any: () => text(from + random.below(count) * unit),
    numbered: (number) => text(Math.min(REFERENCE_TIME + number * unit, END_OF_TIME)),
    free: {
      sql: (column) => `ceil(extract(epoch FROM max(${column})))`,
      after: (seconds) => Math.max(1, Math.floor((seconds * SECOND - REFERENCE_TIME) / unit) + 1),
    },
  };
}

/** JavaScript prints a moment in a microsecond; a few hundred days are quickly known. */
function dayTexts(): (time: number) => string {
  const known = new Map<number, string>();
  return (time) => {
    const day = Math.floor(time / DAY);
    const text = known.get(day) ?? new Date(day * DAY).toISOString().slice(0, 10);
    if (known.size < MOST_DAYS) known.set(day, text);
    return text;
  };
}

const MOST_DAYS = 100_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

function secondTexts(): (time: number) => string {
  const dayText = dayTexts();
  return (time) => {
    const seconds = Math.floor((time % DAY) / SECOND);
    // Before 1970 the rest of a division is negative.
    const second = seconds < 0 ? seconds + DAY / SECOND : seconds;
    const clock = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60] as const;
    return `${dayText(time)}T${TWO_DIGITS[clock[0]]}:${TWO_DIGITS[clock[1]]}:${TWO_DIGITS[clock[2]]}Z`;
  };
}
