import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';

/** Whether Postgres can store the text and UTF-8 can say it. No other text is taken, whatever it is for. */
export function checkText({ value, span }: ast.Text, report: Diagnostics['report']): boolean {
  const found = UNSTORABLE.exec(value)?.[0];
  if (found === undefined) return true;
  const escaped = `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  report('unstorable-text', span, { escaped, isHalf: found !== '\0' });
  return false;
}

/** The character zero, and halves of surrogate pairs that stand alone. */
const UNSTORABLE = /\0|\p{Cs}/u;
