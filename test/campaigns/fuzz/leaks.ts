/** What no answer and no line of the log may have in it. */
import { resolve } from 'node:path';
import { PASSWORD, SECRET_NUMBER, SECRET_TEXT, SENT } from './marks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

type Forbidden = readonly [what: string, isIn: (text: string) => boolean];

const holds = (part: string) => (text: string) => text.includes(part);
const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

const EVERYWHERE: readonly Forbidden[] = [
  ['a secret field', holds(SECRET_TEXT)],
  ['a secret number', holds(SECRET_NUMBER)],
  ['a password', holds(PASSWORD)],
  ['a hash of a password', matches(/scrypt\$\d/)],
  ['the address of the database', matches(/postgres(ql)?:\/\//)],
];

const IN_ANSWERS: readonly Forbidden[] = [
  [
    'SQL',
    matches(
      /\b(select|insert into|update|delete from)\b[^{}]{0,200}\\?"\w+\\?"[^{}]{0,80}\b(from|values|set|where)\b/i,
    ),
  ],
  ['words of Postgres', matches(/SQLSTATE|syntax error at or near|violates [\w-]+ constraint|pg_catalog|kiln_tokens/)],
  ['a stack trace', matches(/\bat [\w.<>$ ]{1,80} \(?(file:|node:|\/)[^\s)]{1,200}:\d+:\d+/)],
  ['a path of the server', holds(ROOT)],
  ['a path of the server', matches(/\/node_modules\/|node:internal|kiln-campaign-/)],
];

/** `tokens` are those of all accounts; one that was made for this answer is not among them yet. */
export function leaksInAnswer(text: string, tokens: ReadonlySet<string>): readonly string[] {
  return [...found(text, [...EVERYWHERE, ...IN_ANSWERS]), ...tokensIn(text, tokens)];
}

/** The log may say what happened, with stacks and statements, but not what was sent. */
export function leaksInLog(line: string, tokens: ReadonlySet<string>): readonly string[] {
  const rest = withoutPath(line);
  const sent = rest.includes(SENT) ? ['something that was sent'] : [];
  return [...found(rest, EVERYWHERE), ...tokensIn(rest, tokens), ...sent];
}

function found(text: string, forbidden: readonly Forbidden[]): readonly string[] {
  return forbidden.filter(([, isIn]) => isIn(text)).map(([what]) => what);
}

function tokensIn(text: string, tokens: ReadonlySet<string>): readonly string[] {
  for (const token of tokens) if (text.includes(token)) return ['a token'];
  return [];
}

/** A path names records, whose names clients choose. */
function withoutPath(line: string): string {
  return line.replace(/"path":"(?:[^"\\]|\\.)*"/, '');
}
