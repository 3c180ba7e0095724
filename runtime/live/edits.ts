/** What has changed between two readings of a list, as edits that a client makes to the rows that it has. */
import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/** The body of a list, cut into its rows. */
export interface Rows {
  readonly rows: readonly Buffer[];
  /** A hash of each row: the rows themselves are not kept. */
  readonly hashes: readonly string[];
  /** The rest, with an empty list in place of the rows; null where there is none. */
  readonly page: string | null;
}

const [QUOTE = 0, BACKSLASH, COMMA] = ['"', '\\', ','].map((sign) => sign.charCodeAt(0));
const OPEN = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSE = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));
const BRACKET = '['.charCodeAt(0);

/** The rows are the first array of the body: the other members of a page are no lists. */
export function rowsIn(body: Buffer): Rows {
  const rows: Buffer[] = [];
  let first = -1;
  let end = body.length;
  let depth = 0;
  let start = 0;
  for (let at = 0; at < body.length; at++) {
    const sign = body[at] as number;
    if (sign === QUOTE) at = endOfText(body, at);
    else if (OPEN.has(sign)) {
      depth++;
      if (first < 0 && sign === BRACKET) {
        first = at;
        start = at + 1;
        depth = 0;
      }
    } else if (first >= 0 && depth === 0 && (sign === COMMA || CLOSE.has(sign))) {
      if (at > start) rows.push(body.subarray(start, at));
      start = at + 1;
      end = at + 1;
      if (sign !== COMMA) break;
    } else if (CLOSE.has(sign)) depth--;
  }
  const page = first === 0 ? null : `${body.toString('utf8', 0, first)}[]${body.toString('utf8', end)}`;
  return { rows, hashes: rows.map(hashOf), page };
}

/** The place of the quote that ends the text: the next one without a backslash of its own before it. */
function endOfText(body: Buffer, begin: number): number {
  for (let at = body.indexOf(QUOTE, begin + 1); at >= 0; at = body.indexOf(QUOTE, at + 1)) {
    let first = at;
    while (body[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return body.length;
}

function hashOf(row: Buffer): string {
  return createHash('sha1').update(row).digest('base64').slice(0, 16);
}

export type Edit =
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'put'; readonly at: number; readonly row: number; readonly isNew: boolean };

/** The time for edits grows with the square of the rows, so a longer list is sent as a whole. */
const MOST_EDITED = 5000;

/** The edits in the order in which they are made; null for a long list. A row that moves is removed and put again. */
export function editsBetween(before: readonly string[], after: readonly string[]): readonly Edit[] | null {
  if (before.length === after.length && before.every((row, at) => row === after[at])) return [];
  if (Math.max(before.length, after.length) > MOST_EDITED) return null;
  const edits: Edit[] = [];
  const now = [...before];
  const [kept, known] = [new Set(after), new Set(before)];
  for (let at = 0; at < after.length; ) {
    const [old, next] = [now[at], after[at] as string];
    const isGone = old !== undefined && !kept.has(old);
    const isNew = !known.has(next) || old === undefined;
    if (old === next) at++;
    else if (isGone && isNew) {
      edits.push({ kind: 'put', at, row: at, isNew: false });
      now[at] = next;
      at++;
    } else if (isGone || (!isNew && now[at + 1] === next)) {
      edits.push({ kind: 'remove', at });
      now.splice(at, 1);
    } else {
      const from = now.indexOf(next, at);
      if (from >= 0) {
        edits.push({ kind: 'remove', at: from });
        now.splice(from, 1);
      }
      edits.push({ kind: 'put', at, row: at, isNew: true });
      now.splice(at, 0, next);
      at++;
    }
  }
  for (let at = now.length - 1; at >= after.length; at--) edits.push({ kind: 'remove', at });
  return edits;
}
