import { bracesAsWritten } from './braces.ts';
import type { Expectation } from './expectation.ts';
import { Reading } from './reading.ts';
import { Recogniser } from './recogniser.ts';
import { tokenize } from './tokens.ts';

/**
 * What could be written next, behind a text that breaks off: the forms of the block that is open there, the rest of a form
 * that has begun, or the rest of a value. The text is that of a declaration, from its beginning; it may have mistakes.
 */
export function expectedBehind(text: string): Expectation {
  // What is open at the end is not missing a brace.
  const braces = { ...bracesAsWritten(tokenize(text).tokens), unclosed: 0 };
  const reading = new Reading({ path: '', text }, braces);
  reading.looksForHabits = false;
  new Recogniser(reading).file();
  return { ...reading.expected, isStep: reading.isBehindDot };
}
