import type { QuotedText } from './sql.ts';

/**
 * A text as Postgres reads it, on one line whatever is in it. The form with backslashes means the same whether or not
 * `standard_conforming_strings` is on.
 */
export function quotedText(text: string): QuotedText {
  const quoted = text.replaceAll("'", "''");
  if (!/[\\\x00-\x1f\x7f]/.test(text)) return `'${quoted}'` as QuotedText;
  return `E'${quoted.replace(/[\\\x00-\x1f\x7f]/g, escaped)}'` as QuotedText;
}

const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
