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
