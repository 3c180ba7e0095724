/** A statement on several lines, so that it can be read: each clause begins a line, and inner queries are indented. */

const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|\s+|[^\s()'"]+/g;

/** Words that begin a line. Of two words the first decides. */
const CLAUSES: ReadonlySet<string> = new Set([
  'select',
  'from',
  'where',
  'left',
  'cross',
  'join',
  'order',
  'group',
  'having',
  'limit',
  'offset',
  'returning',
  'values',
  'set',
  'union',
  'for',
]);

/** Behind these a clause goes on in its line: `LEFT JOIN`, `DELETE FROM`. */
const CONTINUED: ReadonlySet<string> = new Set(['left', 'cross', 'delete', 'do']);

export function formattedSql(text: string): string {
  const open: boolean[] = [];
  let result = '';
  let before = '';
  let isSpaced = false;
  const depth = (): number => open.filter(Boolean).length;
  const breakLine = (): void => {
    result = `${result.trimEnd()}\n${'  '.repeat(depth())}`;
  };
  const tokens = text.trim().match(TOKENS) ?? [];
  for (const [at, token] of tokens.entries()) {
    if (token.trim() === '') {
      isSpaced = true;
      continue;
    }
    const word = token.toLowerCase();
    const isQuery = token === '(' && nextWord(tokens, at) === 'select';
    if (token === ')') {
      const wasQuery = open.pop() ?? false;
      if (wasQuery) breakLine();
      isSpaced = false;
    } else if (result !== '' && CLAUSES.has(word) && !CONTINUED.has(before) && isTop(open)) {
      breakLine();
      isSpaced = false;
    }
    result += `${isSpaced && !/\s$/.test(result) ? ' ' : ''}${token}`;
    isSpaced = false;
    if (token === '(') open.push(isQuery);
    if (isQuery) breakLine();
    before = word;
  }
  return result;
}

function nextWord(tokens: readonly string[], at: number): string | undefined {
  return tokens
    .slice(at + 1, at + 3)
    .find((token) => token.trim() !== '')
    ?.toLowerCase();
}

/** Whether it is a clause of a statement or an inner query, not a part of a function's arguments. */
function isTop(open: readonly boolean[]): boolean {
  return open.at(-1) ?? true;
}
