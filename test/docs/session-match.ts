/**
 * Whether a screen shows what a document says. What differs from one run to the next counts as the same: times and
 * sizes with their units, dates, hashes, ids of requests and processes, and how many spaces are between two words.
 * `…` stands for any text in a line, and alone on a line for any lines. JSON may be broken into lines anywhere.
 */

const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\d+(\.\d+)? ?(ms|s)\b/g, '‹time›'],
  [/\d+(\.\d+)? ?(B|KB|MB)\b/g, '‹size›'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?/g, '‹time of day›'],
  [/\d{4}-\d\d-\d\d/g, '‹date›'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '‹uuid›'],
  ...[64, 40, 12, 7].map((length) => [new RegExp(`\\b[0-9a-f]{${length}}\\b`, 'g'), `‹hash of ${length}›`] as const),
  [/"(requestId|token)": ?"[^"]+"/g, '"$1":‹id›'],
  [/\(process \d+\)/g, '(process ‹id›)'],
];

const ANY = '…';

export function shows(shown: readonly string[], screen: readonly string[]): boolean {
  return patternFrom(shown, isJson(screen)).test(flat(screen, isJson(screen)));
}

/** Whether it shows it, and may show more after it. */
export function beginsWith(shown: readonly string[], screen: readonly string[]): boolean {
  return shown.length > 0 && screen.some((_, at) => shows(shown, screen.slice(0, at + 1)));
}

function isJson([first = '']: readonly string[]): boolean {
  return /^[[{]/.test(first);
}

function patternFrom(shown: readonly string[], json: boolean): RegExp {
  const source = flat(shown, json)
    .split('\n')
    .map((line) =>
      line === ANY
        ? ANY
        : line
            .split(ANY)
            .map(escaped)
            .join(json ? '.*' : '[^\\n]*'),
    )
    .join('\n')
    .replaceAll(`\n${ANY}`, '(\\n[^\\n]*)*')
    .replace(new RegExp(`^${ANY}$`), '[\\s\\S]*')
    .replace(new RegExp(`^${ANY}\\n`), '([^\\n]*\\n)*');
  return new RegExp(`^${source}$`);
}

function flat(lines: readonly string[], json: boolean): string {
  const usual = lines.map((line) => usualFrom(line).trimEnd());
  return json ? usual.join('').replace(/\s/g, '') : usual.join('\n').trimEnd();
}

function usualFrom(line: string): string {
  const varied = VARYING.reduce((text, [pattern, name]) => text.replace(pattern, name), line);
  return varied.replace(/ +/g, ' ');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
