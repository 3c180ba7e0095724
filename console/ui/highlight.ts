/** Colours for the few languages that the console shows. Long texts stay plain: colours would make the page slow. */
export type Language = 'json' | 'shell' | 'typescript' | 'http' | 'sql' | 'text';

type TokenKind = 'string' | 'number' | 'keyword' | 'key' | 'comment' | 'continuation';

interface Token {
  readonly kind: TokenKind | null;
  readonly text: string;
}

const MOST = 60_000;

/** Each has one named group for each kind. */
const PATTERNS: Readonly<Record<Exclude<Language, 'text'>, RegExp>> = {
  json: /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\b\d[\d.eE+-]*)|(?<keyword>\b(?:true|false|null)\b)/g,
  shell:
    /(?<string>'[^']*'|"[^"]*")|(?<keyword>^curl\b|(?<=\s)--?[a-zA-Z][\w-]*)|(?<comment>^#.*$)|(?<continuation> \\$)/gm,
  typescript:
    /(?<comment>\/\/.*$)|(?<string>'(?:[^'\\]|\\.)*'|`[^`]*`)|(?<number>\b\d[\d.]*\b)|(?<keyword>\b(?:import|from|const|await|if|new|true|false|null|undefined|return|throw)\b)|(?<key>\b\w+(?=:))/gm,
  http: /(?<keyword>^(?:GET|POST|PUT|PATCH|DELETE) |^HTTP\/[\d.]+)|(?<key>^[\w-]+(?=: ))|(?<string>"(?:[^"\\]|\\.)*")/gm,
  sql: /(?<comment>--.*$)|(?<string>'(?:[^']|'')*')|(?<number>\$?\b\d+\b)|(?<keyword>\b(?:select|from|where|and|or|not|insert|into|values|update|set|delete|returning|join|left|lateral|on|order|group|by|limit|offset|as|with|exists|is|null|case|when|then|else|end|in|any|for|share|asc|desc|begin|commit|rollback|count|distinct|coalesce|true|false)\b)/gim,
};

export function tokensOf(text: string, language: Language): readonly Token[] {
  if (language === 'text' || text.length > MOST) return [{ kind: null, text }];
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(PATTERNS[language])) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    if (match.index > end) tokens.push({ kind: null, text: text.slice(end, match.index) });
    tokens.push({ kind: (kind ?? null) as TokenKind | null, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) tokens.push({ kind: null, text: text.slice(end) });
  return tokens;
}

// ── SQL on several lines ─────────────────────────────────────────────────────────────────────────────────────────────

// A statement is read on several lines: each clause begins one, and inner queries are indented.

/** The names of tables in place of those that Kiln gives them within a statement: `"post"."title"` for `"#1"."title"`. */
export function withTableNames(text: string): string {
  const names = new Map<string, string>();
  const ends = new Set<number>();
  const open: { readonly isTable: boolean; table: string }[] = [];
  for (const { 0: all, index, groups = {} } of text.matchAll(PLACES)) {
    if (groups.open) open.push({ isTable: groups.before !== undefined, table: '' });
    const inner = all.startsWith(')') ? open.pop() : undefined;
    const table = groups.table ?? (inner?.isTable ? inner.table : '');
    const around = open.at(-1);
    if (around?.table === '') around.table = table;
    if (groups.alias === undefined || table === '') continue;
    const same = [...names.values()].filter((name) => name === table || name.startsWith(`${table}_`)).length;
    names.set(groups.alias, same === 0 ? table : `${table}_${same + 1}`);
    ends.add(index + all.length);
  }
  // The other names are those of columns.
  const shown = text.replace(/(\.|AS )?"#(\d+)"/g, (alias, before = '', number, at) => {
    const isTable = before === '' || ends.has(at + alias.length);
    return `${before}"${isTable ? (names.get(`"#${number}"`) ?? `#${number}`) : `key_${number}`}"`;
  });
  return shown.replace(/("\w+") AS \1(?!\w)/g, '$1');
}

/** Where tables and inner queries get their names. An inner query is called like the first table that it reads. */
const PLACES =
  /(?<before>\b(?:FROM|JOIN|LATERAL) )?(?<open>\()|(?:\)|\b(?:FROM|JOIN|INTO|UPDATE) "(?<table>\w+)")(?: AS (?<alias>"#\d+"))?/g;

const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|\s+|[^\s()'"]+/g;

/** Words that begin a line. The first of two words decides. */
const CLAUSES =
  /^(?:select|from|where|left|cross|join|order|group|having|limit|offset|returning|values|set|union|for)$/;

/** Words behind which a clause continues on its line: `LEFT JOIN`, `DELETE FROM`. */
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
    const isQuery = token === '(' && /^\s*select\b/i.test(tokens.slice(at + 1, at + 3).join(''));
    if (token === ')') {
      const wasQuery = open.pop() ?? false;
      if (wasQuery) breakLine();
      isSpaced = false;
    } else if (result !== '' && CLAUSES.test(word) && !CONTINUED.has(before) && isTop(open)) {
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

/** Whether it is a clause of a statement or an inner query, not a part of a function's arguments. */
function isTop(open: readonly boolean[]): boolean {
  return open.at(-1) ?? true;
}
