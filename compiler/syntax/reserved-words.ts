/** The words that are never a name. The grammar reads some of them as names, so they are looked for on their own. */
export const RESERVED: ReadonlySet<string> = new Set('null true false and or not is in'.split(' '));
