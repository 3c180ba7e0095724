/**
 * One line of a source as a terminal can show it: tabs expanded, control characters made visible, cut to a window
 * where it is long. Widths are columns of a terminal.
 */
interface ShownLine {
  readonly text: string;
  /** Columns before the first caret. */
  readonly indent: number;
  /** The number of carets, at least 1. */
  readonly carets: number;
}

const LONGEST_SHOWN = 160;
const WINDOW = 120;
const BEFORE_SPAN = 40;
const TAB_STOP = 4;
const UNSHOWABLE = '\ufffd';

/** `start` and `end` are offsets in the line; carets never reach past its last word. */
export function shownLine(line: string, start: number, end: number): ShownLine {
  const lastCaret = Math.min(end, Math.max(start, line.trimEnd().length));
  const { from, to } = windowAround(line, start);
  const head = from > 0 ? '…' : '';
  const tail = to < line.length ? '…' : '';
  const inWindow = (offset: number) => head.length + Math.min(Math.max(offset, from), to) - from;
  return withCarets(head + line.slice(from, to) + tail, inWindow(start), inWindow(lastCaret));
}

/** The stretch of a line to show. Only the neighbourhood of the span is looked at: a line may be megabytes long. */
function windowAround(line: string, start: number): { from: number; to: number } {
  if (line.length <= 4 * LONGEST_SHOWN && displayWidth(line) <= LONGEST_SHOWN) return { from: 0, to: line.length };
  const anchor = Math.min(start, line.length);
  const isNearHead = back(line, anchor, WINDOW - BEFORE_SPAN) === 0;
  const from = isNearHead ? 0 : back(line, anchor, BEFORE_SPAN);
  return { from, to: forth(line, from, WINDOW) };
}

// Characters without width could otherwise fill a window without end.
const UNITS_A_COLUMN = 4;

function back(line: string, offset: number, columns: number): number {
  const first = Math.max(0, offset - columns * UNITS_A_COLUMN);
  let at = offset;
  for (let left = columns; at > first; ) {
    const previous = at - (isLowSurrogate(line.charCodeAt(at - 1)) ? 2 : 1);
    left -= widthOf(line.codePointAt(Math.max(0, previous)) ?? 0);
    if (left < 0) break;
    at = Math.max(0, previous);
  }
  return at;
}

function forth(line: string, offset: number, columns: number): number {
  const last = Math.min(line.length, offset + columns * UNITS_A_COLUMN);
  let at = offset;
  for (let left = columns; at < last; ) {
    const point = line.codePointAt(at) ?? 0;
    left -= widthOf(point);
    if (left < 0) break;
    at += point > 0xffff ? 2 : 1;
  }
  return at;
}

function withCarets(line: string, start: number, end: number): ShownLine {
  const before = shown(line.slice(0, start), 0);
  const marked = shown(line.slice(start, end), before.width);
  const after = shown(line.slice(end), before.width + marked.width);
  return {
    text: before.text + marked.text + after.text,
    indent: before.width,
    carets: Math.max(1, marked.width),
  };
}

function shown(text: string, column: number): { text: string; width: number } {
  let out = '';
  let at = column;
  for (const character of text) {
    const cell = character === '\t' ? ' '.repeat(TAB_STOP - (at % TAB_STOP)) : visible(character);
    out += cell;
    at += character === '\t' ? cell.length : widthOf(character.codePointAt(0) ?? 0);
  }
  return { text: out, width: at - column };
}

/** The same text, safe to send to a terminal: nothing in it moves the cursor, changes colours or turns text around. */
export function visible(text: string): string {
  return text.replace(UNSAFE, UNSHOWABLE);
}

/** The same of a text of several lines, which may have tabs. */
export function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, visible);
}

// Control characters, lone surrogates, line separators and the marks that reorder text.
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function displayWidth(text: string): number {
  return shown(text, 0).width;
}

function widthOf(point: number): number {
  if (point < 0x300) return point === 0x09 ? TAB_STOP : 1;
  const character = String.fromCodePoint(point);
  if (NO_WIDTH.test(character)) return 0;
  return isWide(point) || EMOJI.test(character) ? 2 : 1;
}

const NO_WIDTH = /[\p{Mn}\p{Me}\u200b-\u200d\u2060\ufeff]/u;
const EMOJI = /\p{Emoji_Presentation}/u;

/** The blocks of East Asian wide characters, roughly; a caret that is off by one in a rare script is no harm. */
function isWide(point: number): boolean {
  return (
    (point >= 0x1100 && point <= 0x115f) ||
    (point >= 0x2e80 && point <= 0xa4cf && point !== 0x303f) ||
    (point >= 0xac00 && point <= 0xd7a3) ||
    (point >= 0xf900 && point <= 0xfaff) ||
    (point >= 0xfe30 && point <= 0xfe6f) ||
    (point >= 0xff00 && point <= 0xff60) ||
    (point >= 0xffe0 && point <= 0xffe6) ||
    (point >= 0x20000 && point <= 0x3fffd)
  );
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
