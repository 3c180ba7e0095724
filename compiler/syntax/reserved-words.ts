/** The words and signs that mean something of their own wherever they stand. */
import { type NearName, nearWord } from '../diagnostics/words/near-name.ts';

export const OPERATOR_SIGNS: ReadonlySet<string> = new Set('< <= > >= + - * / %'.split(' '));
export const OPERATOR_WORDS: ReadonlySet<string> = new Set('and or is in'.split(' '));

/** The words that are never a name. The grammar reads some of them as names, so they are looked for on their own. */
export const RESERVED: ReadonlySet<string> = new Set(['null', 'true', 'false', 'not', ...OPERATOR_WORDS]);

/** Signs that other languages put between a property and its value. */
export const JOINING_SIGNS: ReadonlySet<string> = new Set([':', '?:', '=', '=>', '->', ':=', '==']);

// ── Words with an @ ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The words with an `@` that mean something: who asks, what the client sends, and what else the request says. */
const AUTH = '@auth';
export const INPUT = '@input';
export const REQUEST = '@request';
export const CLAIMS = '@claims';
/** What other languages call the authenticated record. */
const CALLERS: ReadonlySet<string> = new Set(['@user', '@me', '@self', '@currentuser', '@caller']);
const KNOWN: readonly string[] = [AUTH, INPUT, REQUEST, CLAIMS];

export function isKnownAtWord(text: string): boolean {
  return KNOWN.includes(text);
}

/** Whether it is written like `@auth`, but is something else; a doubled `@` is no word at all. */
export function isUnknownAtWord(text: string): boolean {
  return !isKnownAtWord(text) && /^@\w/.test(text);
}

/** What an unknown word with an `@` was most likely meant for: `@auth` or `@input` itself, or one of their members. */
export function meantByAtWord(word: string): NearName | undefined {
  const [, known, member] = /^(@auth|@input)_*([A-Za-z]\w*)$/.exec(word) ?? [];
  const caller = CALLERS.has(word.toLowerCase().replaceAll('_', '')) ? { name: AUTH } : undefined;
  const near = caller ?? nearWord(word, KNOWN);
  return near ?? (member === undefined ? undefined : { name: `${known}.${member}` });
}
