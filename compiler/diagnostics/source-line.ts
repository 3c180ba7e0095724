/**
 * One line of a source as a terminal can show it: tabs expanded, control characters made visible, cut to a window
 * where it is long.
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

/** The stretch of a line to show: a line may be megabytes long. */
function windowAround(line: string, start: number): { from: number; to: number } {
  if (line.length <= LONGEST_SHOWN) return { from: 0, to: line.length };
  const anchor = Math.min(start, line.length);
  const from = anchor <= WINDOW - BEFORE_SPAN ? 0 : characterAt(line, anchor - BEFORE_SPAN);
  return { from, to: characterAt(line, Math.min(line.length, from + WINDOW)) };
}

/** The beginning of the character at an offset. */
function characterAt(line: string, offset: number): number {
  return isLowSurrogate(line.charCodeAt(offset)) ? offset - 1 : offset;
}

function withCarets(line: string, start: number, end: number): ShownLine {
  const before = shown(line.slice(0, start), 0);
  const marked = shown(line.slice(start, end), before.width);
  const after = shown(line.slice(end), before.width + marked.width);
  return { text: before.text + marked.text + after.text, indent: before.width, carets: Math.max(1, marked.width) };
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

function widthOf(point: number): number {
  if (point < 0x300) return point === 0x09 ? TAB_STOP : 1;
  const character = String.fromCodePoint(point);
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) || EMOJI.test(character) ? 2 : 1;
}

const NO_WIDTH = /[\p{Mn}\p{Me}\u200b-\u200d\u2060\ufeff]/u;
const EMOJI = /\p{Emoji_Presentation}/u;
/** The blocks of East Asian wide characters, roughly; a caret that is off by one in a rare script is no harm. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3040-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
