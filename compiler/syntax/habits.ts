/**
 * Habits of other languages, found before the forms are tried. Each habit is a row of a table: its pattern, and its
 * equivalent in Kiln. Only files with mistakes are read this way, so a correct file pays nothing for it.
 */
import type { Edit } from '../diagnostics/words/words.ts';
import type { PlaceName } from './forms.ts';
import type { Reading } from './reading.ts';
import type { Token } from './tokens.ts';

export interface Habit {
  /**
   * Matches from the first word of a member or a value on, and nothing that Kiln can read. The group `put` is what is
   * replaced, and `mark` is what is shown; without them, it is all that matches. It is sticky, and gives indices.
   */
  readonly written: RegExp;
  /** The text to write, with `$<name>` for a group, or edits. Absent if only the help can tell. */
  readonly instead?: string | ((found: FoundHabit) => Replacement | undefined);
  readonly help?: string | ((found: FoundHabit) => string | undefined);
  /**
   * Whether the first words of the new text are read in place of those that match, and the rest of the member
   * unchanged.
   */
  readonly isReread?: boolean;
  /** Whether the brackets behind it belong to it. */
  readonly hasBody?: boolean;
  /** Whether the text behind it is read as if it were not there. */
  readonly isNeedless?: boolean;
  readonly code?: 'foreign-form' | 'foreign-field';
}

/** A text for what is replaced, or edits with the text that the author is told to write. */
export type Replacement = string | { readonly text: string; readonly edits: readonly Edit[] };

export interface FoundHabit {
  readonly groups: Readonly<Record<string, string | undefined>>;
  /** All that matches, with its body. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly put: Range;
  readonly mark: Range;
  readonly reading: Reading;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** `whole-value` is tried where a value begins, `operand` before each of its parts. */
export type HabitPlace = PlaceName | 'whole-value' | 'operand';

/** `over` if a member or value has been passed, `go-on` if it still has to be read. */
type HabitOutcome = 'over' | 'go-on' | undefined;

export function reportedHabit(reading: Reading, habits: readonly Habit[] | undefined): HabitOutcome {
  if (!habits || !reading.looksForHabits || reading.at === reading.quietAt || reading.readAs.has(reading.at))
    return undefined;
  for (const habit of habits) {
    const found = foundAt(reading, habit);
    const text = found && reported(found, habit);
    if (text !== undefined) return goOn(found as FoundHabit, habit, text);
  }
  return undefined;
}

function foundAt(reading: Reading, { written, hasBody }: Habit): FoundHabit | undefined {
  const { text } = reading.source;
  written.lastIndex = reading.token.start;
  const match = written.exec(text);
  const limit = (reading.braces.tokens.at(-1) as Token).start;
  if (!match || (match[0] === '' && !hasBody)) return undefined;
  const end = hasBody ? endOfBody(reading, written.lastIndex) : written.lastIndex;
  if (end === undefined || end > limit) return undefined;
  const start = reading.token.start;
  const whole = { start, end };
  const put = rangeOf(match, 'put') ?? whole;
  const mark = rangeOf(match, 'mark') ?? put;
  return { groups: match.groups ?? {}, text: text.slice(start, end), start, end, put, mark, reading };
}

function rangeOf({ indices }: RegExpExecArray, group: string): Range | undefined {
  const [start, end] = indices?.groups?.[group] ?? [];
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** The end of the brackets that begin where the match ends; undefined if there are none, or they are not closed. */
function endOfBody(reading: Reading, from: number): number | undefined {
  const open = firstFrom(reading, from);
  const close = reading.braces.partner.get(open);
  if (close === undefined) return undefined;
  return reading.tokenAt(reading.isAt(';', close + 1) ? close + 1 : close).end;
}

/** The first token that begins at an offset or behind it. */
function firstFrom(reading: Reading, offset: number): number {
  let { at } = reading;
  while (at < reading.braces.tokens.length - 1 && reading.tokenAt(at).start < offset) at++;
  return at;
}

/**
 * Reports a habit. Returns the text that the author should write, empty for advice alone; undefined if nothing was
 * reported.
 */
function reported(found: FoundHabit, { instead, help, code = 'foreign-form' }: Habit): string | undefined {
  const { reading, mark } = found;
  const given = typeof instead === 'function' ? instead(found) : instead && filledIn(instead, found);
  const advice = typeof help === 'function' ? help(found) : help && filledIn(help, found);
  if (given === undefined && instead !== undefined && advice === undefined) return undefined;
  const text = (typeof given === 'object' ? given.text : given)?.trim();
  const edits = typeof given === 'object' ? given.edits : given === undefined ? undefined : [editFor(found, given)];
  const token = { ...reading.token, ...mark };
  reading.report(code, { found: reading.textFrom(token), instead: text, help: advice, edits }, token);
  reading.explained.push({ start: found.start, end: found.end });
  return text ?? '';
}

function filledIn(template: string, { groups }: FoundHabit): string {
  return template.replace(/\$<(\w+)>/g, (_, name: string) => groups[name] ?? '');
}

function editFor({ reading, put }: FoundHabit, text: string): Edit {
  const range = text === '' ? removal(reading.source.text, put) : put;
  return { span: { file: reading.source.path, ...range }, text };
}

/** The range to remove, including the comma and the blanks that would be left over. */
export function removal(text: string, { start, end }: Range): Range {
  const before = /\s*,?\s*$/.exec(text.slice(Math.max(0, start - 200), start))?.[0] ?? '';
  const isFirst = start - before.length <= 0 || text[start - before.length - 1] === '{' || before.includes('\n');
  const behind = /^,?[ \t]*/.exec(text.slice(end, end + 200))?.[0] ?? '';
  const isAlone = /^\s*(\n|$)/.test(text.slice(end + behind.length, end + behind.length + 200));
  if (isFirst && !isAlone) return { start, end: end + behind.length };
  return { start: start - before.length, end };
}

function goOn(found: FoundHabit, { isReread, isNeedless }: Habit, text: string): HabitOutcome {
  const { reading } = found;
  if (isReread) {
    const words = text.replace(/\{.*/, '').trim().split(' ');
    for (const [index, word] of words.entries()) reading.readAs.set(reading.at + index, word);
    return 'go-on';
  }
  reading.at = Math.max(firstFrom(reading, found.end), reading.at + 1);
  return isNeedless ? 'go-on' : 'over';
}
