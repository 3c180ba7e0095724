/** The part of a long API that a cursor is in: to find out what could stand there, its other entrypoints need not be read. */

/** In characters. */
const LONG = 10_000;

interface Around {
  readonly before: string;
  readonly after: string;
}

/** By the indentation alone; where that tells nothing, or the text is short, all of it. */
export function excerptOf({ before, after }: Around): Around {
  const whole = { before, after };
  if (before.length + after.length < LONG) return whole;
  const head = /^api\b[^{]*\{[ \t]*\r?\n([ \t]+)entrypoint\b/m.exec(before);
  if (!head) return whole;
  const mark = `\n${head[1]}entrypoint `;
  const start = before.lastIndexOf(mark);
  if (start < 0) return whole;
  const next = after.indexOf(mark);
  const opening = head[0].slice(0, head[0].indexOf('{') + 1);
  return { before: opening + before.slice(start), after: next < 0 ? after : `${after.slice(0, next)}\n}\n` };
}
