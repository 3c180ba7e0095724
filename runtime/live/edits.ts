/** What has changed between two readings of a list, as edits that a client makes to the rows that it has. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/** The body of a list, cut into its rows. */
export interface Rows {
  readonly rows: readonly Buffer[];
  /** A hash of each row: the rows themselves are not kept. */
  readonly hashes: readonly string[];
  /** The rest, with an empty list in place of the rows; null where there is none. */
  readonly page: string | null;
}

/** The rows are the first array of the body: the other members of a page are no lists. Its numbers are exact in JavaScript. */
export function rowsIn(body: Buffer): Rows {
  const parsed: unknown = JSON.parse(body.toString());
  const [name, list] = Array.isArray(parsed)
    ? [null, parsed]
    : (Object.entries(parsed as object).find(([, value]) => Array.isArray(value)) as [string, unknown[]]);
  const rows = list.map((row) => Buffer.from(JSON.stringify(row)));
  const page = name === null ? null : JSON.stringify({ ...(parsed as object), [name]: [] });
  return { rows, hashes: rows.map(hashOf), page };
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
