import { type NearName, nearName } from '../diagnostics/words/near-name.ts';

/** The words with an `@` that mean something: who asks, and what the client sends. */
const AUTH = '@auth';
export const INPUT = '@input';
/** What other languages call the authenticated record. */
const CALLERS: ReadonlySet<string> = new Set(['@user', '@me', '@self', '@currentuser', '@caller']);
const KNOWN: readonly string[] = [AUTH, INPUT];

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
  const near =
    caller ??
    nearName(
      word,
      KNOWN.map((name) => ({ name })),
    );
  return near ?? (member === undefined ? undefined : { name: `${known}.${member}` });
}
