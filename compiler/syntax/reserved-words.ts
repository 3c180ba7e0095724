export const OPERATOR_SIGNS: ReadonlySet<string> = new Set('< <= > >= + - * / %'.split(' '));
export const OPERATOR_WORDS: ReadonlySet<string> = new Set('and or is in'.split(' '));

/** The words that are never a name. The grammar reads some of them as names, so they are looked for on their own. */
export const RESERVED: ReadonlySet<string> = new Set(['null', 'true', 'false', 'not', ...OPERATOR_WORDS]);
