/** The file `.env` of a project: variables for the machine of a developer, one in each line, which git and images never have. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemReason } from './system-reason.ts';

export const DOTENV = '.env';

interface Dotenv {
  readonly values: Readonly<Record<string, string>>;
  /** By the name of a variable: where it is, as `.env:3`. */
  readonly places: Readonly<Record<string, string>>;
  /** One sentence each. They show no value, which may be a secret. */
  readonly problems: readonly string[];
}

export function readDotenv(folder: string): Dotenv {
  try {
    return dotenvFrom(readFileSync(join(folder, DOTENV), 'utf8'));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return {
      values: {},
      places: {},
      problems: isMissing ? [] : [`\`${DOTENV}\` cannot be read: ${systemReason(error)}`],
    };
  }
}

/** `NAME=value`, `export NAME='value'` or `NAME="value"`, with a comment behind it or not. */
const LINE = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|((?!['"#]).*?))(?:\s+#.*|\s*)$/;

/** A quote that does not end in its line. */
const UNENDED = /=\s*(?:'[^']*|"(?:[^"\\]|\\.)*)$/;
const IN_ONE_LINE = 'a value is in one line: for a line break, write `\\n` between double quotes';
const IN_QUOTES = 'put a value with spaces, quotes or # into quotes';

export function dotenvFrom(text: string): Dotenv {
  const values: Record<string, string> = {};
  const places: Record<string, string> = {};
  const problems: string[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    const place = `${DOTENV}:${index + 1}`;
    const [, name, plain, escaped, bare = ''] = LINE.exec(line) ?? [];
    if (name !== undefined) {
      values[name] = plain ?? (escaped === undefined ? bare : unescaped(escaped));
      places[name] = place;
    } else if (!/^\s*(#.*)?$/.test(line))
      problems.push(`${place} is not \`NAME=value\`; ${UNENDED.test(line) ? IN_ONE_LINE : IN_QUOTES}`);
  });
  return { values, places, problems };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
