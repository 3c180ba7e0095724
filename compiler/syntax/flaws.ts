/** What is said of text that is neither a word nor a sign. */
import type { NearName } from '../diagnostics/words/near-name.ts';
import { meantByAtWord } from './at-words.ts';
import type { Reading } from './reading.ts';
import { placesOf } from './shapes.ts';
import type { Flaw, Token } from './tokens.ts';

export function reportFlaw(reading: Reading, { kind, start, end }: Flaw): void {
  const token: Token = { ...reading.token, start, end };
  const span = reading.spanOf(token);
  const found = reading.source.text.slice(start, end);
  switch (kind) {
    case 'unreadable-character':
      reading.report(kind, { found, span }, token);
      break;
    case 'unterminated-string': {
      const closing = { span: reading.spanBehind(token), text: '"' };
      reading.report(kind, { overLines: found.includes('\n'), closing }, token);
      break;
    }
    case 'unterminated-raw-string':
      reading.report(kind, {}, { ...token, end: start + 3 });
      break;
    case 'unterminated-comment':
      reading.report(kind, {}, { ...token, end: start + 2 });
      break;
    case 'foreign-quotes':
      reading.report(
        kind,
        { instead: doublyQuoted(found), span, joins: found.includes('${'), joined: joinedParts(found) },
        token,
      );
      break;
    case 'foreign-comment':
      reading.report(kind, { span: { ...span, end: start + (found.startsWith('--') ? 2 : 1) } }, token);
      break;
    case 'foreign-attribute':
      reading.report(kind, { found, ...meantByAttribute(found), span }, token);
      break;
    case 'foreign-letters':
      reading.report('bad-name', { name: found, better: inPlainLetters(found), span }, token);
      break;
    default:
      kind satisfies never;
  }
}

/** `"Hello " + name` for a template with nothing but names in it. */
function joinedParts(template: string): string | undefined {
  const parts = template
    .slice(1, -1)
    .split(/(\$\{[^{}]*\})/)
    .filter((part) => part !== '');
  const values = parts.map((part) => (part.startsWith('${') ? part.slice(2, -1).trim() : doublyQuoted(`'${part}'`)));
  const isSimple = values.every((value) => /^("|[A-Za-z_@][\w.]*$)/.test(value));
  return isSimple ? values.join(' + ') : undefined;
}

function doublyQuoted(text: string): string {
  const content = text.slice(1, /['`”’»]$/.test(text.slice(1)) ? -1 : undefined);
  const escaped = content.replace(/\\?(['"`])/g, (_, quote: string) => (quote === '"' ? '\\"' : quote));
  return `"${escaped}"`;
}

function meantByAttribute(attribute: string): { near: NearName | undefined; word: string | undefined } {
  const near = meantByAtWord(attribute);
  const word = attribute.replace(/^@+/, '');
  return { near, word: !near && placesOf(word).length > 0 ? word : undefined };
}

function inPlainLetters(name: string): string | undefined {
  const plain = name.normalize('NFD').replace(/[\p{M}$]/gu, '');
  return /^[A-Za-z_]\w*$/.test(plain) ? plain : undefined;
}
