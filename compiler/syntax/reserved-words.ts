/** The words and signs that have a meaning of their own everywhere. */
import { type NearName, nearWord } from '../diagnostics/words/near-name.ts';

export const OPERATOR_SIGNS: ReadonlySet<string> = new Set('< <= > >= + - * / %'.split(' '));
export const OPERATOR_WORDS: ReadonlySet<string> = new Set('and or is in'.split(' '));

/** The words that are never a name. The grammar reads some of them as names, so they are looked for on their own. */
export const RESERVED: ReadonlySet<string> = new Set(['null', 'true', 'false', 'not', ...OPERATOR_WORDS]);

/** Signs that other languages put between a property and its value. */
export const JOINING_SIGNS: ReadonlySet<string> = new Set([':', '?:', '=', '=>', '->', ':=', '==']);

// ── Words with an @ ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The words with an `@` that have a meaning: the caller, the inputs, and other parts of the request. */
const AUTH = '@auth';
export const INPUT = '@input';
export const REQUEST = '@request';
export const CLAIMS = '@claims';
/** Names for the authenticated record in other languages. */
const CALLERS: ReadonlySet<string> = new Set(['@user', '@me', '@self', '@currentuser', '@caller']);
const KNOWN: readonly string[] = [AUTH, INPUT, REQUEST, CLAIMS];

export function isKnownAtWord(text: string): boolean {
  return KNOWN.includes(text);
}

/** Whether it is written like `@auth`, but is another word; a doubled `@` is no word at all. */
export function isUnknownAtWord(text: string): boolean {
  return !isKnownAtWord(text) && /^@\w/.test(text);
}

/** The likely meaning of an unknown word with an `@`: `@auth` or `@input` itself, or one of their members. */
export function meantByAtWord(word: string): NearName | undefined {
  const [, known, member] = /^(@auth|@input)_*([A-Za-z]\w*)$/.exec(word) ?? [];
  const caller = CALLERS.has(word.toLowerCase().replaceAll('_', '')) ? { name: AUTH } : undefined;
  const near = caller ?? nearWord(word, KNOWN);
  return near ?? (member === undefined ? undefined : { name: `${known}.${member}` });
}
