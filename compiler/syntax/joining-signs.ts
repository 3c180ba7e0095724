/** Signs that other languages put between a property and its value. */
export const JOINING_SIGNS: ReadonlySet<string> = new Set([':', '?:', '=', '=>', '->', ':=', '==']);
