import { LONGEST_FOR_SLUG } from '../../compiler/definition/contract/validators.ts';
import { slugSets } from '../../compiler/definition/slug.ts';
import { startOfText } from './text.ts';

const { accents, separators } = slugSets((codePoint) => `\\u{${codePoint.toString(16)}}`);
const ACCENTS = new RegExp(accents, 'gu');
const SEPARATORS = new RegExp(`${separators}+`, 'gu');

/** Words in lower case, without accents, joined by `-`. `compiler/definition/sql/call-sql.ts` says the same in SQL. */
export function slugOf(text: string): string {
  const letters = startOfText(LONGEST_FOR_SLUG, text).normalize('NFKD').toLowerCase().replace(ACCENTS, '');
  return letters.replace(SEPARATORS, '-').replace(/^-|-$/g, '').normalize('NFC');
}
