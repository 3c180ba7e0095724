/** The conditions of a plan, as Postgres prints them: `(("#0".status = $1) AND ("#0".score > '3'::bigint))`. */

export interface Comparison {
  /** `range` also where there are several values, or null. */
  readonly kind: 'equal' | 'range';
  readonly column: string;
  /** As Postgres prints it. */
  readonly text: string;
}

interface Column {
  readonly alias: string;
  readonly name: string;
}

const NAME = '(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_$]*)';
const COLUMN = `(${NAME})\\.(${NAME})`;
const WHOLE = new RegExp(`^${COLUMN}$`);

/** Nothing where the text is more than a column. */
export function columnOf(text: string): Column | undefined {
  const [, alias, name] = WHOLE.exec(text) ?? [];
  return alias === undefined || name === undefined ? undefined : { alias: unquoted(alias), name: unquoted(name) };
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

/** The columns of a table by which an index could find its records. All of the conditions hold at once. */
export function comparisonsIn(condition: string, alias: string): readonly Comparison[] {
  return splitAt(' AND ', condition).flatMap((part) => comparisonOf(part, alias) ?? []);
}

type Form = readonly [kind: Comparison['kind'], pattern: RegExp];

/** Each has the column as its first two groups. */
const FORMS: readonly Form[] = [
  ['equal', new RegExp(`^(?:NOT )?${COLUMN}$`)],
  ['range', new RegExp(`^${COLUMN} = ANY .*$`, 's')],
  ['equal', new RegExp(`^${COLUMN} = .*$`, 's')],
  ['range', new RegExp(`^${COLUMN} [<>]=? .*$`, 's')],
  ['equal', new RegExp(`^\\S+ = ${COLUMN}$`)],
  ['range', new RegExp(`^\\S+ [<>]=? ${COLUMN}$`)],
  ['range', new RegExp(`^${COLUMN} IS NULL$`)],
  ['range', new RegExp(`^ROW\\(${COLUMN}, .*\\) [<>]=? ROW\\(.*\\)$`, 's')],
];

function comparisonOf(part: string, alias: string): Comparison | undefined {
  const branches = splitAt(' OR ', part);
  if (branches.length > 1) return alternativesOf(branches, alias);
  const text = withoutParentheses(part);
  for (const [kind, pattern] of FORMS) {
    const [, table, column] = pattern.exec(text) ?? [];
    if (table !== undefined && column !== undefined)
      return unquoted(table) === alias ? { kind, column: unquoted(column), text } : undefined;
  }
  return undefined;
}

/** Several values of one column. */
function alternativesOf(branches: readonly string[], alias: string): Comparison | undefined {
  const columns = new Set(branches.map((branch) => comparisonOf(branch, alias)?.column));
  const [column] = columns;
  return columns.size === 1 && column !== undefined ? { kind: 'range', column, text: '' } : undefined;
}

/** The parts between the words that stand outside all parentheses and quotes. */
function splitAt(word: string, condition: string): readonly string[] {
  const text = withoutParentheses(condition);
  const parts: string[] = [];
  let start = 0;
  forEachOutside(text, (at) => {
    if (!text.startsWith(word, at)) return;
    parts.push(text.slice(start, at));
    start = at + word.length;
  });
  return [...parts, text.slice(start)];
}

function withoutParentheses(condition: string): string {
  const text = condition.trim();
  let closesAt = -1;
  forEachOutside(text, (at) => {
    if (closesAt < 0 && text[at] === ')') closesAt = at;
  });
  const isAround = text.startsWith('(') && closesAt === text.length - 1;
  return isAround ? withoutParentheses(text.slice(1, -1)) : text;
}

/** Each place outside of parentheses and quotes, and the parenthesis that closes the outermost one. */
function forEachOutside(text: string, visit: (at: number) => void): void {
  let depth = 0;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (quote !== null) {
      if (sign === quote) quote = null;
      continue;
    }
    if (sign === '"' || sign === "'") quote = sign;
    if (sign === '(') depth++;
    if (sign === ')') depth--;
    if (depth === 0) visit(at);
  }
}
