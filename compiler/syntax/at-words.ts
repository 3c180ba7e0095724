import { type NearName, nearName } from '../diagnostics/words/near-name.ts';

/** The only word with an `@` that means something. */
export const AUTH = '@auth';

/** Whether it is written like `@auth`, but is something else; a doubled `@` is no word at all. */
export function isUnknownAtWord(text: string): boolean {
  return text !== AUTH && /^@\w/.test(text);
}

/** What an unknown word with an `@` was most likely meant for: `@auth` itself, or one of its members. */
export function meantByAtWord(word: string): NearName | undefined {
  const [, member] = /^@auth_*([A-Za-z]\w*)$/.exec(word) ?? [];
  return nearName(word, [{ name: AUTH }]) ?? (member === undefined ? undefined : { name: `${AUTH}.${member}` });
}
