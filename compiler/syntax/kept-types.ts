/** Which types of the grammar need to be known by name. A test holds both lists against the grammar. */
import { OPERATOR_SIGNS, OPERATOR_WORDS } from './reserved-words.ts';

/** The named types that are one token, so that looking for children is in vain. */
export const LEAF_TYPES: ReadonlySet<string> = new Set(
  'identifier at_word integer float string raw_string true false null comment doc_comment'.split(' '),
);

/** The only tokens without a name of their own that a rule reads as a field. */
export const OPERATORS: ReadonlySet<string> = new Set([...OPERATOR_WORDS, ...OPERATOR_SIGNS, 'not']);
